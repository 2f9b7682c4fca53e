import { expect, test } from 'vitest';
import type { BackingImage, Volume } from '../api/types';
import { cleanUpState, isUnavailable, isUsed } from './images';

function image(states: Record<string, string>, wanted: string[] = [], cleanupDisks: string[] = []): BackingImage {
  return {
    metadata: { name: 'debian' },
    spec: {
      sourceType: 'upload',
      sourceParameters: {},
      checksum: '',
      cleanupDisks,
      minNumberOfCopies: 1,
      diskFileSpecMap: Object.fromEntries(wanted.map((disk) => [disk, { evictionRequested: false }])),
    },
    status: {
      checksum: '',
      size: '0',
      virtualSize: '0',
      format: '',
      diskFileStatusMap: Object.fromEntries(Object.entries(states).map(([disk, state]) => [disk, { state, progress: 0, message: '' }])),
    },
  };
}

function volume(backingImage: string, replicas: number): Volume {
  return { metadata: { name: 'v1' }, spec: { backingImage }, status: { replicas: Array(replicas).fill({}) } } as unknown as Volume;
}

test('an image is unavailable when every file has failed', () => {
  expect(isUnavailable(image({ d1: 'failed', d2: 'failed' }))).toBe(true);
  expect(isUnavailable(image({ d1: 'failed', d2: 'ready' }))).toBe(false);
  expect(isUnavailable(image({}))).toBe(false);
});

test('an image is in use when a volume on it has a replica', () => {
  expect(isUsed(image({}), [volume('debian', 1)])).toBe(true);
  expect(isUsed(image({}), [volume('debian', 0)])).toBe(false);
  expect(isUsed(image({}), [volume('other', 1)])).toBe(false);
});

test.each([
  ['waiting', 'it would remove the last copy', image({ d1: 'ready' }, ['d1'], ['d1'])],
  ['removing', 'another copy stays', image({ d1: 'ready', d2: 'ready' }, ['d1', 'd2'], ['d1'])],
  ['removing', 'the file leaves', image({ d1: 'ready' }, [])],
  ['removed', 'the file is gone', image({}, [])],
  ['kept', 'the controller withdrew the request', image({ d1: 'ready' }, ['d1'])],
] as const)('a clean-up is %s when %s', (state, _condition, found) => {
  expect(cleanUpState(found, 'd1')).toBe(state);
});
