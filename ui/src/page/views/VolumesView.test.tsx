// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeApi } from '../test/fakeApi';
import { show } from '../test/show';
import { VolumesView } from './VolumesView';

let api: FakeApi;

const TICKET = { id: 'api-node-1', type: 'api', nodeID: 'node-1', parameters: {} };

const NO_CONTENT_COMES = { cloneStatus: { state: '' }, restore: { state: '' }, standby: { state: '' } };

function volume(name: string, spec: object = {}, content: object = {}): void {
  const shown = { state: 'attached', robustness: 'healthy', currentNodeID: 'node-1', replicas: [], actualSize: '0', conditions: [] };
  api.put('volumes', {
    metadata: { name, uid: `uid-${name}` },
    spec: { size: '1Gi', numberOfReplicas: 1, deletionGrace: '', fromBackup: '', standby: false, ...spec },
    status: { ...shown, ...NO_CONTENT_COMES, ...content },
  } as never);
  api.put('volumeattachments', {
    metadata: { name },
    spec: { volume: name, attachmentTickets: { [TICKET.id]: TICKET, csi: { ...TICKET, id: 'csi', type: 'csi' } } },
    status: { attachmentTicketStatuses: {} },
  } as never);
}

/** Selects volumes, opens the dialog of a button, and returns the dialog. */
async function open(names: string[], button: string): Promise<HTMLElement> {
  const user = userEvent.setup();
  for (const name of names) {
    await user.click(await screen.findByRole('checkbox', { name: `Select ${name}` }));
  }
  await user.click(screen.getByRole('button', { name: button }));
  return screen.findByRole('dialog');
}

beforeEach(() => {
  api = new FakeApi().install();
  ['a', 'b', 'c', 'd'].forEach((name) => volume(name));
  api.put('settings', { metadata: { name: 'deletion-grace' }, spec: { value: '24h' }, status: { applied: true } });
});

afterEach(() => {
  cleanup();
  // The filter is in the address.
  window.location.hash = '';
  vi.unstubAllGlobals();
});

test('without a selection the buttons for many volumes tell why they are off', async () => {
  show(<VolumesView name={undefined} canWrite />);
  const button = await screen.findByRole('button', { name: 'Delete selected' });
  expect(button.getAttribute('aria-disabled')).toBe('true');
  await userEvent.setup().click(button);
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a user who changes nothing selects nothing', async () => {
  show(<VolumesView name={undefined} canWrite={false} />);
  await screen.findByRole('link', { name: 'a' });
  expect(screen.queryByRole('checkbox')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Delete selected' })).toBeNull();
});

test('selected volumes are deleted after their number is typed; a refusal keeps its volume and its words', async () => {
  const user = userEvent.setup();
  api.refuse('DELETE', 'b', 409, 'Conflict', 'volume b is attached: detach it first');
  show(<VolumesView name={undefined} canWrite />);
  const dialog = await open(['a', 'b', 'c'], 'Delete selected');
  const submit = within(dialog).getByRole('button', { name: 'Delete' });
  expect(submit.hasAttribute('disabled')).toBe(true);
  await user.type(within(dialog).getByRole('textbox'), '3');
  await user.click(submit);
  expect(await within(dialog).findByText(/volume b is attached: detach it first/)).toBeDefined();
  expect(within(dialog).getByText('b')).toBeDefined();
  // The typed number was for three volumes.
  expect(submit.hasAttribute('disabled')).toBe(true);
  expect(['a', 'b', 'c', 'd'].filter((name) => api.get('volumes', name))).toEqual(['b', 'd']);
  await user.type(within(dialog).getByRole('textbox'), '1');
  await user.click(submit);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(['a', 'b', 'c', 'd'].filter((name) => api.get('volumes', name))).toEqual(['d']);
});

test('selected volumes are detached by the tickets of users', async () => {
  show(<VolumesView name={undefined} canWrite />);
  const dialog = await open(['a', 'd'], 'Detach selected');
  await userEvent.setup().click(within(dialog).getByRole('button', { name: 'Detach' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const change = { spec: { attachmentTickets: { [TICKET.id]: null } } };
  expect(api.sent.map(({ name, body }) => ({ name, body }))).toEqual([
    { name: 'a', body: change },
    { name: 'd', body: change },
  ]);
});

test('a volume that the filter hides is not changed with the selected ones', async () => {
  const user = userEvent.setup();
  show(<VolumesView name={undefined} canWrite />);
  await user.click(await screen.findByRole('checkbox', { name: 'Select a' }));
  await user.click(screen.getByRole('checkbox', { name: 'Select b' }));
  await user.type(screen.getByRole('textbox', { name: 'Filter by name' }), 'b');
  await waitFor(() => expect(screen.queryByRole('link', { name: 'a' })).toBeNull());
  await user.click(screen.getByRole('button', { name: 'Attach selected' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Attach' }));
  await waitFor(() => expect(api.sent.map(({ name }) => name)).toEqual(['b']));
});

async function grow(name: string, size: string): Promise<HTMLElement> {
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: `Actions of ${name}` }));
  await user.click(await screen.findByRole('menuitem', { name: 'Grow' }));
  const dialog = await screen.findByRole('dialog');
  const field = within(dialog).getByRole('textbox', { name: /^New size/ });
  await user.clear(field);
  await user.type(field, size);
  return dialog;
}

test('a volume grows although its status changed since it was read', async () => {
  api.refuse('PATCH', 'a', 409, 'Conflict', 'volume "a" has resourceVersion 2, not 1');
  show(<VolumesView name={undefined} canWrite />);
  const dialog = await grow('a', '2Gi');
  await userEvent.setup().click(within(dialog).getByRole('button', { name: 'Grow' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.get('volumes', 'a')?.spec.size).toBe('2Gi');
});

test('a size that another client changed is shown before the volume grows', async () => {
  show(<VolumesView name={undefined} canWrite />);
  const dialog = await grow('a', '4Gi');
  volume('a', { size: '2Gi' });
  await userEvent.setup().click(within(dialog).getByRole('button', { name: 'Grow' }));
  expect(await within(dialog).findByText('It is now 2Gi; you entered 4Gi.', { exact: false })).toBeDefined();
  expect(api.sent).toEqual([]);
});

const KEPT = 'The content is kept for 24h. Until then, "Undelete" takes the deletion back.';
const NOW = 'Remove the content now; the deletion cannot be taken back';

async function openDelete(name: string): Promise<HTMLElement> {
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: `Actions of ${name}` }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  return screen.findByRole('dialog');
}

test.each([
  ['of the setting', {}, {}, KEPT],
  ['of the volume', { deletionGrace: '7d' }, {}, KEPT.replace('24h', '7d')],
  ['of none', { deletionGrace: '0m' }, {}, 'The content is removed at once.'],
  ['of a standby volume', { standby: true }, {}, 'The content is removed at once.'],
  ['of an activated volume', { standby: true }, { standby: { state: 'activated' } }, KEPT],
  ['of a copy that is not complete', { cloneSource: { volume: 'a' } }, { cloneStatus: { state: 'initiated' } }, 'The content is removed at once.'],
  ['of a complete copy', { cloneSource: { volume: 'a' } }, { cloneStatus: { state: 'completed' } }, KEPT],
  ['of a restore that is not complete', { fromBackup: 'x' }, {}, 'The content is removed at once.'],
])('the dialog says for how long the content is kept: the time %s', async (_what, spec, content, sentence) => {
  volume('one', spec, content);
  show(<VolumesView name={undefined} canWrite />);
  const dialog = await openDelete('one');
  expect(await within(dialog).findByText(sentence)).toBeDefined();
  expect(within(dialog).queryByRole('checkbox', { name: NOW }) !== null).toBe(sentence.includes('kept'));
});

test('a deletion keeps the grace of the volume', async () => {
  const user = userEvent.setup();
  show(<VolumesView name={undefined} canWrite />);
  const dialog = await openDelete('a');
  await user.type(within(dialog).getByRole('textbox'), 'a');
  await user.click(within(dialog).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.sent.map(({ method, name }) => `${method} ${name}`)).toEqual(['DELETE a']);
});

test('a deletion that removes the content now first sets the grace to 0s', async () => {
  const user = userEvent.setup();
  show(<VolumesView name={undefined} canWrite />);
  const dialog = await openDelete('a');
  await user.click(await within(dialog).findByRole('checkbox', { name: NOW }));
  expect(within(dialog).getByText('The content is removed at once.')).toBeDefined();
  await user.type(within(dialog).getByRole('textbox'), 'a');
  await user.click(within(dialog).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.sent.map(({ method, name, body }) => ({ method, name, spec: (body as { spec?: object }).spec }))).toEqual([
    { method: 'PATCH', name: 'a', spec: { deletionGrace: '0s' } },
    { method: 'DELETE', name: 'a', spec: undefined },
  ]);
});

test('a refused deletion does not change the grace of the volume', async () => {
  const user = userEvent.setup();
  api.refuse('DELETE', 'a', 409, 'Conflict', 'volume a is attached: detach it first');
  show(<VolumesView name={undefined} canWrite />);
  const dialog = await openDelete('a');
  await user.click(await within(dialog).findByRole('checkbox', { name: NOW }));
  await user.type(within(dialog).getByRole('textbox'), 'a');
  await user.click(within(dialog).getByRole('button', { name: 'Delete' }));
  expect(await within(dialog).findByText(/volume a is attached: detach it first/)).toBeDefined();
  expect(api.sent).toEqual([]);
});

test('the dialog of several volumes says for how long the content of each is kept', async () => {
  volume('b', { deletionGrace: '0s' });
  show(<VolumesView name={undefined} canWrite />);
  const dialog = await open(['a', 'b', 'c'], 'Delete selected');
  expect(await within(dialog).findByText(/^The content of a, c is kept for 24h\./)).toBeDefined();
  expect(within(dialog).getByText('The content of b is removed at once.')).toBeDefined();
});
