import { expect, test } from 'vitest';
import type { HoldfastNode } from '../api/types';
import { hasEnded, progressOf, upgradesOf } from './upgrades';

function nodeWith(report: string): HoldfastNode {
  return { metadata: { name: 'n1', annotations: { 'upgrade.holdfast.dev/report': report } } } as unknown as HoldfastNode;
}

const running = {
  id: '2', source: '/releases/0.4', state: 'RUNNING', started: '', ended: '', reason: '',
  steps: [
    { bundle: 'a', way: 'SWITCH', pause: '', versionBefore: '1', version: '2', state: 'DONE' },
    { bundle: 'b', way: 'SWITCH', pause: '', versionBefore: '1', version: '2', state: 'RUNNING' },
  ],
};

test('the newest upgrade of a node comes first', () => {
  const upgrades = upgradesOf(nodeWith(JSON.stringify([{ ...running, id: '1', state: 'DONE' }, running])));
  expect(upgrades.map(({ id, node }) => `${node} ${id}`)).toEqual(['n1 2', 'n1 1']);
});

test('a node without a report, or with one that cannot be read, has no upgrades', () => {
  expect(upgradesOf({ metadata: { name: 'n1' } } as HoldfastNode)).toEqual([]);
  expect(upgradesOf(nodeWith('{'))).toEqual([]);
});

test('progress counts the steps that are done and names the bundle that is replaced', () => {
  expect(progressOf(running)).toEqual({ done: 1, all: 2, running: 'b' });
  expect(hasEnded(running)).toBe(false);
  expect(hasEnded({ ...running, state: 'WENT_BACK' })).toBe(true);
});
