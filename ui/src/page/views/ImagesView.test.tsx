// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeApi } from '../test/fakeApi';
import { show } from '../test/show';
import ImagesView from './ImagesView';

let api: FakeApi;

const FILE = { progress: 0, message: '' };

function image(name: string, disks: string[] = ['d1'], cleanupDisks: string[] = []): void {
  api.put('backingimages', {
    metadata: { name, uid: `uid-${name}`, generation: 1 },
    spec: { sourceType: 'upload', sourceParameters: {}, checksum: '', minNumberOfCopies: 1, cleanupDisks, diskFileSpecMap: Object.fromEntries(disks.map((d) => [d, {}])) },
    status: { size: '1Gi', checksum: '', diskFileStatusMap: Object.fromEntries(disks.map((d) => [d, { ...FILE, state: 'ready' }])) },
  } as never);
}

function writes(): string[] {
  return api.sent.map(({ method, plural, name }) => `${method} ${plural}/${name}`);
}

async function choose(name: string, action: string): Promise<void> {
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: `Actions of ${name}` }));
  await user.click(await screen.findByRole('menuitem', { name: new RegExp(`^${action}`) }));
}

beforeEach(() => {
  api = new FakeApi().install();
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('the columns are name, size, origin and operation', async () => {
  image('debian');
  show(<ImagesView name={undefined} canWrite />);
  await screen.findByRole('link', { name: 'debian' });
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent).slice(1)).toEqual(['Name', 'Size', 'Created From', 'Operation']);
});

test('an image is not deleted while a replica uses it', async () => {
  image('debian');
  api.put('volumes', { metadata: { name: 'v1' }, spec: { backingImage: 'debian' }, status: { replicas: [{ name: 'r1' }] } } as never);
  show(<ImagesView name={undefined} canWrite />);
  await choose('debian', 'Delete');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.getByText('A replica uses this image.')).toBeDefined();
});

test('a batch deletion deletes all that it can, and shows the refusal', async () => {
  const user = userEvent.setup();
  ['a', 'b', 'c'].forEach((name) => image(name));
  api.refuse('DELETE', 'b', 409, 'Conflict', 'image b: volume v1 uses it');
  show(<ImagesView name={undefined} canWrite />);
  for (const name of ['a', 'b', 'c']) {
    await user.click(await screen.findByRole('checkbox', { name: `Select ${name}` }));
  }
  await user.click(screen.getByRole('button', { name: 'Deletion' }));
  const dialog = await screen.findByRole('dialog');
  await user.click(within(dialog).getByRole('button', { name: 'Delete' }));
  await within(dialog).findByText('image b: volume v1 uses it', { exact: false });
  expect(writes()).toEqual(['DELETE backingimages/a', 'DELETE backingimages/b', 'DELETE backingimages/c']);
  expect(within(dialog).getByText('Delete 1 backing image?', { exact: false })).toBeDefined();
});

test('a clean-up adds to earlier requests and shows its progress', async () => {
  const user = userEvent.setup();
  image('debian', ['d1', 'd2', 'd3'], ['d3']);
  show(<ImagesView name={undefined} canWrite />);
  await choose('debian', 'Clean Up');
  const dialog = await screen.findByRole('dialog');
  await user.click(within(dialog).getByRole('checkbox', { name: 'Select d1' }));
  await user.click(within(dialog).getByRole('checkbox', { name: 'Select d2' }));
  api.refuse('PATCH', 'debian', 409, 'Conflict', 'changed');
  await user.click(within(dialog).getByRole('button', { name: 'Clean Up' }));
  expect(await within(dialog).findAllByText('being removed')).toHaveLength(2);
  expect(api.get('backingimages', 'debian')?.spec.cleanupDisks).toEqual(['d3', 'd1', 'd2']);
  const now = api.get('backingimages', 'debian');
  api.put('backingimages', {
    ...now,
    metadata: { ...now?.metadata, name: 'debian', generation: 4 },
    spec: { ...now?.spec, cleanupDisks: ['d3'], diskFileSpecMap: { d2: {}, d3: {} } },
    status: { ...now?.status, diskFileStatusMap: { d2: { ...FILE, state: 'ready' } } },
  } as never);
  await within(dialog).findByText('removed');
  await within(dialog).findByText('kept: it is needed on this disk');
  expect(within(dialog).queryByRole('button', { name: 'Cancel' })).toBeNull();
});

test('an image is restored from its backup with the checksum of the backup', async () => {
  const user = userEvent.setup();
  api.newStatus.backingimages = { size: '0', diskFileStatusMap: {} };
  image('debian');
  api.put('backupbackingimages', {
    metadata: { name: 'rocky-1' },
    spec: { backingImage: 'rocky', backupTargetName: 'default' },
    status: { url: 'file:///b?backingImage=rocky', checksum: 'abc' },
  });
  show(<ImagesView name={undefined} canWrite />);
  await user.click(await screen.findByRole('button', { name: 'Create Backing Image' }));
  const dialog = await screen.findByRole('dialog');
  await user.type(within(dialog).getByRole('textbox', { name: /^Name/ }), 'rocky');
  await user.selectOptions(within(dialog).getByRole('combobox', { name: 'Source type' }), 'restore');
  await within(dialog).findByRole('option', { name: 'rocky at default' });
  await user.selectOptions(within(dialog).getByRole('combobox', { name: 'Backup of an image' }), 'rocky at default');
  await user.click(within(dialog).getByRole('button', { name: 'Create Backing Image' }));
  await waitFor(() => expect(writes()).toEqual(['POST backingimages/rocky']));
  expect(api.get('backingimages', 'rocky')?.spec).toEqual({
    sourceType: 'restore',
    sourceParameters: { 'backup-url': 'file:///b?backingImage=rocky' },
    checksum: 'abc',
  });
});
