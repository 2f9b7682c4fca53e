// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeApi } from '../test/fakeApi';
import { show } from '../test/show';
import { VolumesView } from './VolumesView';

let api: FakeApi;

const LATER = new Date(Date.now() + 5.5 * 3600 * 1000).toISOString();

function deleted(name: string, state = 'kept'): void {
  api.put('deletedvolumes', {
    metadata: { name, uid: `kept-${name}` },
    spec: { volumeUID: `uid-${name}`, volumeSpec: { size: '1Gi' }, actualSize: '512Mi', deletedAt: new Date().toISOString(), purgeAt: LATER, undelete: false },
    status: { state, message: '' },
  });
}

function volume(name: string, uid: string, annotations: Record<string, string> = {}): void {
  const status = { state: 'detached', robustness: 'unknown', currentNodeID: '', replicas: [], actualSize: '0', conditions: [] };
  api.put('volumes', { metadata: { name, uid, annotations }, spec: { size: '1Gi', numberOfReplicas: 1 }, status } as never);
}

async function open(name: string): Promise<void> {
  await userEvent.setup().click(await screen.findByRole('button', { name: `Actions of ${name}` }));
}

async function choose(name: string, action: string): Promise<HTMLElement> {
  await open(name);
  await userEvent.setup().click(await screen.findByRole('menuitem', { name: action }));
  return screen.findByRole('dialog');
}

beforeEach(() => {
  api = new FakeApi().install();
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('deleted volumes are listed with the time until their content is removed', async () => {
  deleted('a');
  show(<VolumesView name={undefined} canWrite />);
  const table = await screen.findByRole('grid', { name: 'Deleted volumes' });
  for (const cell of ['a', '1Gi', '512Mi', 'kept', '5h']) {
    expect(within(table).getByText(cell)).toBeDefined();
  }
});

test('without a deleted volume the list is absent', async () => {
  volume('a', 'uid-a');
  show(<VolumesView name={undefined} canWrite />);
  await screen.findByRole('link', { name: 'a' });
  expect(screen.queryByText('Deleted volumes')).toBeNull();
});

test('a deletion is taken back', async () => {
  deleted('a');
  show(<VolumesView name={undefined} canWrite />);
  const dialog = await choose('a', 'Undelete');
  await userEvent.setup().click(within(dialog).getByRole('button', { name: 'Undelete' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.get('deletedvolumes', 'a')?.spec.undelete).toBe(true);
});

test('a deletion is not taken back when the content began to be removed while the dialog was open', async () => {
  deleted('a');
  show(<VolumesView name={undefined} canWrite />);
  const dialog = await choose('a', 'Undelete');
  deleted('a', 'purging');
  await userEvent.setup().click(within(dialog).getByRole('button', { name: 'Undelete' }));
  expect(await within(dialog).findByText('The content is being removed.')).toBeDefined();
  expect(api.sent).toEqual([]);
});

test('the content is removed after the name is typed', async () => {
  const user = userEvent.setup();
  deleted('a');
  show(<VolumesView name={undefined} canWrite />);
  const dialog = await choose('a', 'Delete permanently');
  const submit = within(dialog).getByRole('button', { name: 'Delete permanently' });
  expect(submit.hasAttribute('disabled')).toBe(true);
  await user.type(within(dialog).getByRole('textbox', { name: 'Type a to confirm' }), 'a');
  await user.click(submit);
  await waitFor(() => expect(screen.queryByText('Deleted volumes')).toBeNull());
  expect(api.get('deletedvolumes', 'a')).toBeUndefined();
});

test.each([
  ['purging', ['The content is being removed.', 'The content is being removed.']],
  ['restoring', ['The volume is being made again.', 'The volume is being made again.']],
])('a deleted volume that is %s shows why its actions are off', async (state, reasons) => {
  deleted('a', state);
  show(<VolumesView name={undefined} canWrite />);
  await open('a');
  const items = await screen.findAllByRole('menuitem');
  expect(items.map((item) => item.getAttribute('aria-disabled'))).toEqual(['true', 'true']);
  items.forEach((item, index) => expect(item.textContent).toContain(reasons[index]));
});

/** Selects deleted volumes, opens the dialog of a button, and returns the dialog. */
async function openSelected(names: string[], button: string): Promise<HTMLElement> {
  const user = userEvent.setup();
  const table = within(await screen.findByRole('grid', { name: 'Deleted volumes' }));
  for (const name of names) {
    await user.click(table.getByRole('checkbox', { name: `Select ${name}` }));
  }
  await user.click(screen.getByRole('button', { name: button }));
  return screen.findByRole('dialog');
}

test('several deletions are taken back at once', async () => {
  ['a', 'b', 'c'].forEach((name) => deleted(name));
  show(<VolumesView name={undefined} canWrite />);
  const dialog = await openSelected(['a', 'c'], 'Undelete selected');
  expect(within(dialog).getByText('Take back the deletion of 2 volumes?')).toBeDefined();
  await userEvent.setup().click(within(dialog).getByRole('button', { name: 'Undelete' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(['a', 'b', 'c'].map((name) => api.get('deletedvolumes', name)?.spec.undelete)).toEqual([true, false, true]);
});

test('the content of several volumes is removed after their number is typed; a refusal keeps its volume', async () => {
  const user = userEvent.setup();
  ['a', 'b', 'c'].forEach((name) => deleted(name));
  api.refuse('DELETE', 'b', 409, 'Conflict', 'deleted volume b has another uid');
  show(<VolumesView name={undefined} canWrite />);
  const dialog = await openSelected(['a', 'b'], 'Delete selected permanently');
  const submit = within(dialog).getByRole('button', { name: 'Delete permanently' });
  expect(submit.hasAttribute('disabled')).toBe(true);
  await user.type(within(dialog).getByRole('textbox'), '2');
  await user.click(submit);
  expect(await within(dialog).findByText(/deleted volume b has another uid/)).toBeDefined();
  expect(within(dialog).getByText('b')).toBeDefined();
  expect(['a', 'b', 'c'].filter((name) => api.get('deletedvolumes', name))).toEqual(['b', 'c']);
  expect(api.sent.map(({ body }) => (body as { preconditions: object }).preconditions)).toEqual([{ uid: 'kept-a' }, { uid: 'kept-b' }]);
});

test('buttons for several deleted volumes are off without a selection, and for one whose content is being removed', async () => {
  const user = userEvent.setup();
  deleted('a');
  deleted('b', 'purging');
  show(<VolumesView name={undefined} canWrite />);
  await screen.findByRole('button', { name: 'Undelete selected' });
  const button = () => screen.getByRole('button', { name: 'Undelete selected' });
  expect(button().getAttribute('aria-disabled')).toBe('true');
  await user.click(screen.getByRole('checkbox', { name: 'Select a' }));
  expect(button().getAttribute('aria-disabled')).not.toBe('true');
  await user.click(screen.getByRole('checkbox', { name: 'Select b' }));
  expect(button().getAttribute('aria-disabled')).toBe('true');
  await user.hover(button());
  expect(await screen.findByText('b: The content is being removed.')).toBeDefined();
});

test('another volume of the name keeps a deletion from being taken back; the one that was made again does not', async () => {
  deleted('a');
  deleted('b');
  volume('a', 'uid-of-another');
  volume('b', 'uid-new', { 'holdfast.dev/undeleted': 'kept-b' });
  show(<VolumesView name={undefined} canWrite />);
  const table = within(await screen.findByRole('grid', { name: 'Deleted volumes' }));
  const user = userEvent.setup();
  await user.click(table.getByRole('button', { name: 'Actions of a' }));
  expect(await screen.findByText('Another volume has the name a: delete it first.')).toBeDefined();
  await user.keyboard('{Escape}');
  await user.click(table.getByRole('button', { name: 'Actions of b' }));
  expect((await screen.findByRole('menuitem', { name: 'Undelete' })).getAttribute('aria-disabled')).toBeNull();
});

test('a user who changes nothing has no actions', async () => {
  deleted('a');
  show(<VolumesView name={undefined} canWrite={false} />);
  await screen.findByRole('grid', { name: 'Deleted volumes' });
  expect(screen.queryByRole('button', { name: 'Actions of a' })).toBeNull();
  expect(screen.queryByRole('checkbox')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Undelete selected' })).toBeNull();
});

test('the view of a deleted volume offers to take its deletion back', async () => {
  deleted('a');
  deleted('ab');
  show(<VolumesView name="a" canWrite />);
  expect(await screen.findByText('The volume a does not exist.')).toBeDefined();
  expect(await screen.findByRole('button', { name: 'Actions of a' })).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Actions of ab' })).toBeNull();
});
