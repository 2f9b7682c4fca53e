import { expect, test } from 'vitest';
import { snapshotResource } from './names';

// The third value is the result of Snapshot.nameFor in the node.
test.each([
  ['demo', 's1', 'demo.s1'],
  ['demo', 'Before Update', 'demo.before-update-2f6b8fbf'],
  ['demo', 'A', 'demo.a-b06716f6'],
  ['demo', 'x_', 'demo.x-5c7bced2'],
  ['demo', 'a..b', 'demo.a.b-2cb83bcc'],
  ['demo', '-end-', 'demo.end-678c6894'],
])('of volume %s and snapshot %s', (volume, snapshot, name) => {
  expect(snapshotResource(volume, snapshot)).toBe(name);
});
