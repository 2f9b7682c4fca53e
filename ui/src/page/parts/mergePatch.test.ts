import { expect, test } from 'vitest';
import { changedFields, collisions, patchBetween, patched, type JsonObject } from './mergePatch';

const before: JsonObject = { metadata: { labels: { a: '1', b: '2' } }, spec: { size: '1Gi', disks: ['d1', 'd2'], empty: {} } };
const after: JsonObject = { metadata: { labels: { b: '3', c: '4' } }, spec: { size: '1Gi', disks: ['d2'], empty: {} } };

test('a patch has only what differs, and null for what is gone', () => {
  expect(patchBetween(before, after)).toEqual({
    metadata: { labels: { a: null, b: '3', c: '4' } },
    spec: { disks: ['d2'] },
  });
  expect(patchBetween(before, before)).toEqual({});
});

test('a patch applied to its origin gives the result', () => {
  expect(patched(before, patchBetween(before, after))).toEqual(after);
});

test('the order of fields does not count, that of a list does', () => {
  expect(patchBetween({ x: { a: 1, b: 2 } }, { x: { b: 2, a: 1 } })).toEqual({});
  expect(patchBetween({ x: [1, 2] }, { x: [2, 1] })).toEqual({ x: [2, 1] });
});

test('a field that became an object, and back', () => {
  expect(patchBetween({ x: 1 }, { x: { y: 2 } })).toEqual({ x: { y: 2 } });
  expect(patched({ x: 1 }, { x: { y: 2 } })).toEqual({ x: { y: 2 } });
  expect(patchBetween({ x: { y: 2 } }, { x: 1 })).toEqual({ x: 1 });
});

test('changed fields have their path and both values', () => {
  expect(changedFields(before, patchBetween(before, after))).toEqual([
    { path: 'metadata.labels.a', before: '1', after: null },
    { path: 'metadata.labels.b', before: '2', after: '3' },
    { path: 'metadata.labels.c', before: undefined, after: '4' },
    { path: 'spec.disks', before: ['d1', 'd2'], after: ['d2'] },
  ]);
});

test('two changes of one field collide unless they are equal', () => {
  const theirs = { spec: { size: '2Gi', replicas: 3, labels: { x: '1' } } };
  const yours = { spec: { size: '4Gi', replicas: 3, labels: { y: '1' } } };
  expect(collisions(theirs, yours)).toEqual([{ path: 'spec.size', theirs: '2Gi', yours: '4Gi' }]);
  expect(collisions({ spec: { labels: null } }, { spec: { labels: { y: '1' } } })).toHaveLength(1);
});
