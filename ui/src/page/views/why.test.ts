import { expect, test } from 'vitest';
import type { Volume, VolumeAttachment } from '../api/types';
import { problems, why } from './why';

const text = (key: string, values?: Record<string, string | number>) => `${key} ${Object.values(values ?? {}).join(' ')}`.trim();

function volume(status: Partial<Volume['status']>, deleted = false): Volume {
  return {
    metadata: { name: 'v', ...(deleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    spec: { nodeID: 'node-1' } as Volume['spec'],
    status: { state: 'detached', robustness: 'unknown', currentNodeID: '', conditions: [], ...status } as Volume['status'],
  };
}

function attachment(satisfied: boolean, message = ''): VolumeAttachment {
  return {
    metadata: { name: 'v' },
    spec: { volume: 'v', attachmentTickets: { t: { id: 't', type: 'api', nodeID: '', parameters: {} } } },
    status: {
      attachmentTicketStatuses: {
        t: { id: 't', satisfied, conditions: [{ type: 'Satisfied', status: 'True', reason: 'R', message }] },
      },
    },
  };
}

test('a volume without tickets is detached for that reason', () => {
  expect(why(volume({}), undefined, text)).toBe('why.detached');
});

test('a waiting ticket is the reason, with its message', () => {
  expect(why(volume({}), attachment(false, 'node is gone'), text)).toBe('why.detachedWaiting node is gone');
  expect(why(volume({}), attachment(false), text)).toBe('why.detachedWaiting R');
});

test('an attached volume names node and ticket', () => {
  expect(why(volume({ state: 'attached', currentNodeID: 'node-1' }), attachment(true), text)).toBe('why.attached node-1 t');
});

test('deletion goes before everything else', () => {
  expect(why(volume({ state: 'attached' }, true), attachment(true), text)).toBe('why.deleting');
});

test('conditions that complain are appended, Faulted only when it is true', () => {
  const conditions = [
    { type: 'Scheduled', status: 'False', reason: 'NoSpace', message: 'add a disk' },
    { type: 'Faulted', status: 'False', reason: 'Fine', message: '' },
    { type: 'TicketsSatisfied', status: 'False', reason: 'X', message: '' },
  ] as Volume['status']['conditions'];
  expect(problems(volume({ conditions })).map(({ type }) => type)).toEqual(['Scheduled']);
  expect(why(volume({ conditions }), undefined, text)).toBe('why.detached why.problem Scheduled add a disk');
});
