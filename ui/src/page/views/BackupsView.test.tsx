// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeApi } from '../test/fakeApi';
import { show } from '../test/show';
import BackupsView from './BackupsView';

let api: FakeApi;
let user: UserEvent;

const URL = 'file:///backups?backup=b1&volume=v1';

function volumeAtTarget(backingImageName: string): void {
  api.put('backupvolumes', {
    metadata: { name: 'v1-1234', uid: 'u1' },
    spec: { backupTargetName: 'default', volumeName: 'v1' },
    status: { size: '1Gi', lastBackupName: 'b1', backups: 1, backingImageName, backingImageChecksum: backingImageName && 'abc', conditions: [] },
  });
}

function backup(labels: Record<string, string> = {}): void {
  api.put('backups', {
    metadata: { name: 'first', uid: 'u2', labels },
    spec: { volume: 'v1', snapshotName: '', backupTargetName: 'default' },
    status: { state: 'Completed', progress: 100, url: URL, volumeSize: '1Gi', size: '1Mi', error: '' },
  });
}

async function choose(name: string, action: string): Promise<void> {
  await user.click(await screen.findByRole('button', { name: `Actions of ${name}` }));
  await user.click(await screen.findByRole('menuitem', { name: new RegExp(`^${action}`) }));
}

async function restoring(): Promise<HTMLElement> {
  show(<BackupsView canWrite />);
  await screen.findByRole('button', { name: 'Actions of v1' });
  await choose('first', 'Restore');
  const dialog = await screen.findByRole('dialog');
  await user.type(within(dialog).getByRole('textbox', { name: /^Name/ }), 'copy');
  return dialog;
}

function submit(dialog: HTMLElement): HTMLButtonElement {
  return within(dialog).getByRole('button', { name: 'Restore' });
}

beforeEach(() => {
  api = new FakeApi().install();
  user = userEvent.setup();
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('a restore uses the previous image by default', async () => {
  volumeAtTarget('debian');
  backup();
  const dialog = await restoring();
  const previous = within(dialog).getByRole('checkbox', { name: 'Use previous backing image (debian)' }) as HTMLInputElement;
  expect(previous.checked).toBe(true);
  expect(within(dialog).queryByRole('combobox')).toBeNull();
  await user.click(submit(dialog));
  await waitFor(() => expect(api.get('volumes', 'copy')?.spec).toEqual({ size: '1Gi', fromBackup: URL }));
});

test('a restore without the previous image needs another one', async () => {
  volumeAtTarget('debian');
  backup();
  api.put('backingimages', { metadata: { name: 'same' } });
  const dialog = await restoring();
  await user.click(within(dialog).getByRole('checkbox'));
  await within(dialog).findByRole('option', { name: 'same' });
  expect(submit(dialog).disabled).toBe(true);
  await user.selectOptions(within(dialog).getByRole('combobox', { name: 'Backing image' }), 'same');
  await user.click(submit(dialog));
  await waitFor(() => expect(api.get('volumes', 'copy')?.spec).toEqual({ size: '1Gi', fromBackup: URL, backingImage: 'same' }));
});

test('a restore of a volume without an image offers none', async () => {
  volumeAtTarget('');
  backup();
  const dialog = await restoring();
  expect(within(dialog).queryByRole('checkbox')).toBeNull();
  expect(submit(dialog).disabled).toBe(false);
});

test('the info of the image of a volume shows name and checksum', async () => {
  volumeAtTarget('debian');
  show(<BackupsView canWrite={false} />);
  await choose('v1', 'Backing Image Info');
  const dialog = await screen.findByRole('dialog');
  expect(within(dialog).getByText('debian')).toBeDefined();
  expect(within(dialog).getByText('abc')).toBeDefined();
});

test('the info is disabled for a volume without an image', async () => {
  volumeAtTarget('');
  show(<BackupsView canWrite={false} />);
  await choose('v1', 'Backing Image Info');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.getByRole('menuitem', { name: /^Backing Image Info/ }).getAttribute('aria-disabled')).toBe('true');
});

test.each([
  [{ 'holdfast.dev/discovered': 'v1-1234' }, ['PATCH', 'DELETE']],
  [{}, ['DELETE']],
])('a backup with the labels %j is deleted at its target', async (labels, methods) => {
  volumeAtTarget('');
  backup(labels);
  show(<BackupsView canWrite />);
  await choose('first', 'Delete');
  const dialog = await screen.findByRole('dialog');
  await user.type(within(dialog).getByRole('textbox'), 'first');
  await user.click(within(dialog).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(api.sent.map(({ method }) => method)).toEqual(methods));
  if (methods.length > 1) {
    expect(api.sent[0]?.body).toMatchObject({ metadata: { finalizers: ['holdfast.dev/backup-data'] } });
  }
});

test('the newest backup of a volume is restored from its row', async () => {
  volumeAtTarget('');
  backup();
  show(<BackupsView canWrite />);
  await screen.findByRole('button', { name: 'Actions of first' });
  await choose('v1', 'Restore newest');
  expect(await screen.findByText('Restore first as a new volume')).toBeDefined();
});
