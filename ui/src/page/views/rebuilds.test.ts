import { expect, test } from 'vitest';
import type { Engine } from '../api/types';
import { rebuildsOf } from './rebuilds';

function engine(copied: string, state = 'in_progress'): Engine {
  return {
    metadata: { name: 'v-e-0' },
    spec: { volume: 'v' },
    status: { rebuildStatus: { 'v-r-1': { state, progress: 25, copied, total: '64Mi', error: '' } } },
  };
}

test('a rebuild has its rate since the sample before', () => {
  const first = rebuildsOf(engine('16Mi'), 1_000, undefined);
  expect(first.rebuilds).toEqual([{ name: 'v-r-1', progress: 25, copied: 16 * 2 ** 20, total: 64 * 2 ** 20, rate: undefined }]);
  expect(rebuildsOf(engine('24Mi'), 3_000, first).rebuilds[0]?.rate).toBe(4 * 2 ** 20);
});

test('a rebuild that began again has no rate', () => {
  const first = rebuildsOf(engine('16Mi'), 1_000, undefined);
  expect(rebuildsOf(engine('1Mi'), 3_000, first).rebuilds[0]?.rate).toBeUndefined();
});

test.each(['complete', 'error'])('a rebuild in state %s is not shown', (state) => {
  expect(rebuildsOf(engine('64Mi', state), 1_000, undefined).rebuilds).toEqual([]);
  expect(rebuildsOf(undefined, 1_000, undefined).rebuilds).toEqual([]);
});
