// @vitest-environment happy-dom
import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeApi } from '../test/fakeApi';
import { show } from '../test/show';
import NodesView from './NodesView';

let api: FakeApi;

const DISK = { path: '/d', allowScheduling: true, evictionRequested: false, storageReserved: '0' };

async function act(name: string, action: string): Promise<void> {
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: `Actions of ${name}` }));
  await user.click(await screen.findByRole('menuitem', { name: action }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: action }));
}

/** Adds a volume with replicas on these disks of the node and on a shared disk. */
function volume(...disks: string[]): void {
  const local = disks.map((diskID, index) => ({ name: `r${index}`, nodeID: 'node-1', diskUUID: '', diskID, mode: 'RW' }));
  const replicas = [...local, { name: 'shared', nodeID: '', diskUUID: 'u2', diskID: '', mode: 'RW' }];
  api.put('volumes', { metadata: { name: 'v1' }, spec: {}, status: { replicas } } as never);
}

beforeEach(() => {
  api = new FakeApi().install();
  api.put('nodes', {
    metadata: { name: 'node-1' },
    spec: { allowScheduling: true, evictionRequested: false, disks: { 'disk-1': DISK, 'disk-2': DISK } },
    status: { conditions: [], engines: [], address: '', version: '', diskStatus: { 'disk-1': { diskUUID: 'u1', conditions: [] }, 'disk-2': { diskUUID: 'u2', conditions: [] } } },
  } as never);
  volume('disk-1', 'disk-1', 'disk-2');
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('a node is drained, tells what is left, and is used again', async () => {
  show(<NodesView canWrite />);
  await act('node-1', 'Drain');
  expect(await screen.findByText('draining: 3 replicas left')).toBeDefined();
  expect(api.get('nodes', 'node-1')?.spec).toMatchObject({ allowScheduling: false, evictionRequested: true });
  volume('other');
  expect(await screen.findByText('draining: 1 replica left')).toBeDefined();
  api.put('volumes', { metadata: { name: 'v1' }, spec: {}, status: { replicas: [] } } as never);
  expect(await screen.findByText('draining: 0 replicas left')).toBeDefined();
  await act('node-1', 'End drain');
  expect(api.get('nodes', 'node-1')?.spec).toMatchObject({ allowScheduling: false, evictionRequested: false });
  await act('node-1', 'Uncordon');
  expect(api.get('nodes', 'node-1')?.spec).toMatchObject({ allowScheduling: true, evictionRequested: false });
});

test('a disk is drained, and its own replicas are counted', async () => {
  show(<NodesView canWrite />);
  await act('disk-1', 'Drain');
  expect(api.sent.at(-1)?.body).toEqual({ spec: { disks: { 'disk-1': { allowScheduling: false, evictionRequested: true } } } });
  api.put('nodes', {
    ...api.get('nodes', 'node-1')!,
    spec: { allowScheduling: true, evictionRequested: false, disks: { 'disk-1': { ...DISK, evictionRequested: true }, 'disk-2': DISK } },
  });
  expect(await screen.findByText('draining: 2 replicas left')).toBeDefined();
  api.put('nodes', {
    ...api.get('nodes', 'node-1')!,
    spec: { allowScheduling: true, evictionRequested: false, disks: { 'disk-1': DISK, 'disk-2': { ...DISK, evictionRequested: true } } },
  });
  volume('disk-1');
  expect(await screen.findByText('draining: 1 replica left')).toBeDefined();
});
