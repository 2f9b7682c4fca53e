// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeApi } from '../test/fakeApi';
import { show } from '../test/show';
import JobsView from './JobsView';
import SystemBackupsView from './SystemBackupsView';

let api: FakeApi;
let user: UserEvent;

beforeEach(() => {
  api = new FakeApi().install();
  user = userEvent.setup();
  api.put('backuptargets', { metadata: { name: 'default' } });
  api.newStatus.systembackups = { state: '', size: '0', failures: [], error: '' };
  api.newStatus.systemrestores = { state: '', kinds: [], failures: [], error: '' };
  api.newStatus.recurringjobs = { lastErrors: [], lastSkipped: [] };
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('a system backup is created at the chosen target', async () => {
  show(<SystemBackupsView canWrite />);
  await user.click(await screen.findByRole('button', { name: 'Create system backup' }));
  const dialog = await screen.findByRole('dialog');
  await user.type(within(dialog).getByRole('textbox', { name: /^Name/ }), 'nightly');
  await user.selectOptions(within(dialog).getByRole('combobox', { name: 'Volumes that are backed up first' }), 'always');
  await user.click(within(dialog).getByRole('button', { name: 'Create system backup' }));
  await waitFor(() =>
    expect(api.get('systembackups', 'nightly')?.spec).toEqual({ backupTargetName: 'default', volumeBackupPolicy: 'always' }),
  );
});

test('a complete system backup is restored', async () => {
  const status = { state: 'Ready', size: '1Mi', items: 3, volumes: 1, failures: [], error: '' };
  api.put('systembackups', { metadata: { name: 'nightly' }, spec: { backupTargetName: 'default' }, status });
  show(<SystemBackupsView canWrite />);
  await user.click(await screen.findByRole('button', { name: 'Actions of nightly' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Restore' }));
  const dialog = await screen.findByRole('dialog');
  await user.type(within(dialog).getByRole('textbox', { name: /^Name of the restore/ }), 'again');
  await user.selectOptions(within(dialog).getByRole('combobox', { name: 'Content of volumes' }), 'none');
  await user.click(within(dialog).getByRole('button', { name: 'Restore' }));
  await waitFor(() => expect(api.sent).toHaveLength(1));
  const spec = { systemBackup: 'nightly', backupTargetName: 'default', volumes: 'none', restoreMode: 'whole' };
  expect(api.sent[0]).toMatchObject({ method: 'POST', plural: 'systemrestores', body: { spec } });
});

test('the outcome of a restore is summed over its kinds', async () => {
  const kind = { restored: 1, existing: 2, skipped: 0, failed: 1 };
  api.put('systemrestores', {
    metadata: { name: 'again' },
    spec: { systemBackup: 'nightly' },
    status: {
      state: 'Completed',
      kinds: [{ kind: 'Setting', ...kind }, { kind: 'Volume', ...kind }],
      failures: ['Volume v1: no backup'],
      pendingVolumes: 0,
      error: '',
    },
  });
  show(<SystemBackupsView canWrite={false} />);
  expect(await screen.findByText('2 restored, 4 existed, 0 left out, 2 failed')).toBeDefined();
  expect(screen.getByText('Volume v1: no backup', { exact: false })).toBeDefined();
  expect(screen.queryByRole('button', { name: /^Actions/ })).toBeNull();
});

test('a job for system backups has no groups', async () => {
  show(<JobsView canWrite />);
  await user.click(await screen.findByRole('button', { name: 'Create recurring job' }));
  const dialog = await screen.findByRole('dialog');
  await user.type(within(dialog).getByRole('textbox', { name: /^Name/ }), 'weekly');
  await user.selectOptions(within(dialog).getByRole('combobox', { name: 'Task' }), 'system-backup');
  expect(within(dialog).queryByRole('textbox', { name: 'Group of volumes' })).toBeNull();
  await user.click(within(dialog).getByRole('button', { name: 'Create recurring job' }));
  await waitFor(() => expect(api.get('recurringjobs', 'weekly')?.spec).toMatchObject({ task: 'system-backup', groups: [] }));
});
