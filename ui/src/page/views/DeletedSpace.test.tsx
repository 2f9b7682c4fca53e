// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeApi } from '../test/fakeApi';
import { show } from '../test/show';
import { Overview } from './Overview';

let api: FakeApi;

function deleted(name: string, hours: number, state = 'kept'): void {
  const purgeAt = new Date(Date.now() + (hours + 0.5) * 3600 * 1000).toISOString();
  api.put('deletedvolumes', {
    metadata: { name, uid: `kept-${name}` },
    spec: { volumeUID: `uid-${name}`, volumeSpec: { size: '1Gi' }, actualSize: '512Mi', purgeAt, undelete: false },
    status: { state, message: '' },
  });
}

function replica(name: string, volume: string, owner: string, witness = false): void {
  api.put('replicas', { metadata: { name, ownerReferences: [{ uid: owner }] }, spec: { volume, witness } });
}

beforeEach(() => {
  api = new FakeApi().install();
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('the overview has the space of deleted volumes and the next removal', async () => {
  deleted('a', 30);
  deleted('b', 5);
  deleted('c', 3, 'restoring');
  deleted('d', 2, 'purging');
  replica('a-1', 'a', 'kept-a');
  replica('a-2', 'a', 'kept-a');
  replica('a-w', 'a', 'kept-a', true);
  replica('b-1', 'b', 'kept-b');
  // A replica of a new volume with the same name.
  replica('b-9', 'b', 'uid-of-another');
  show(<Overview />);
  expect(await screen.findByText(/The kept content uses 1.5Gi on all disks\./)).toBeDefined();
  expect(screen.getByRole('link', { name: '4 deleted volumes.' }).getAttribute('href')).toBe('#/volumes');
  expect(screen.getByText('The content of b is removed next, in 5h.')).toBeDefined();
  expect(screen.getByText('The content of 1 volume is being removed.')).toBeDefined();
});

test('the overview is silent about deleted volumes when the last one is gone', async () => {
  deleted('a', 5);
  show(<Overview />);
  await screen.findByText('The content of a is removed next, in 5h.');
  await fetch('/v1/deletedvolumes/a', { method: 'DELETE' });
  await waitFor(() => expect(screen.queryByText('Deleted volumes')).toBeNull());
});
