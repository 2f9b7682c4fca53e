// @vitest-environment happy-dom
import { act, cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import * as React from 'react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ContributedPage, Resource, SettingAccess } from '../../../sdk';
import * as contributedReact from '../sdk/react';
import { useResources } from '../sdk/pageSdk';
import { FakeApi } from '../test/fakeApi';
import { show as showView } from '../test/show';
import { Texts } from '../text/text';
import { Cards, ResourceTabs } from './Contributed';
import SettingsView from '../views/SettingsView';
import { VolumesView } from '../views/VolumesView';
import { contributions } from './store';

const VOLUME = { metadata: { name: 'v1' }, spec: { dataEngine: 'memory' }, status: {} };

/** Shows a contribution whose module has the given default function. */
async function contribute(begin: (page: ContributedPage) => void, kinds = ['volumes']): Promise<void> {
  vi.spyOn(contributions['surroundings'], 'load').mockResolvedValue({ default: begin });
  contributions.follow([
    { name: 'memory', bundle: 'dev.example', version: '1.0.0', revision: 'a', entry: 'index.js', kinds },
  ]);
  await vi.waitFor(() => expect(contributions.snapshot()[0]?.state).toBe('ready'));
}

beforeEach(() => {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ status: { allowed: true } })));
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

afterEach(() => {
  cleanup();
  contributions.clear();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function show() {
  render(
    <Texts>
      <ResourceTabs kind="volumes" resource={VOLUME}>
        <p>the view</p>
      </ResourceTabs>
      <Cards />
    </Texts>,
  );
}

test('without contributions a view has no tabs', () => {
  show();
  expect(screen.queryByRole('tab')).toBeNull();
  expect(screen.getByText('the view')).toBeDefined();
});

test('a tab shows the resource, and only where it applies', async () => {
  const tab = { kind: 'volumes', component: ({ resource }: { resource: Resource }) => <p>{`memory of ${resource.metadata.name}`}</p> } as const;
  await contribute((page) => {
    page.registerTab({ ...tab, id: 'one', title: { en: 'Memory', de: 'Speicher' }, appliesTo: ({ spec }) => spec['dataEngine'] === 'memory' });
    page.registerTab({ ...tab, id: 'two', title: 'Other', appliesTo: ({ spec }) => spec['dataEngine'] === 'other' });
  });
  show();
  expect(screen.queryByRole('tab', { name: 'Other' })).toBeNull();
  await userEvent.setup().click(screen.getByRole('tab', { name: 'Memory' }));
  expect(screen.getByText('memory of v1')).toBeDefined();
});

test('a component that throws names its bundle, and the view stays; it is shown again on request', async () => {
  let broken = true;
  await contribute((page) =>
    page.registerCard({
      id: 'card',
      title: 'Card',
      component: () => {
        if (broken) {
          throw new Error('planted');
        }
        return <p>works</p>;
      },
    }),
  );
  show();
  expect(screen.getByText(/The contribution memory of dev.example failed: planted/)).toBeDefined();
  expect(screen.getByText('the view')).toBeDefined();
  broken = false;
  await userEvent.setup().click(screen.getByRole('button', { name: 'Show it again' }));
  expect(screen.getByText('works')).toBeDefined();
});

test('a component reads the kinds that its contribution declares only', async () => {
  await contribute((page) => page.registerCard({ id: 'card', title: 'Card', component: () => <p>{useResources('accesstokens').items?.length}</p> }));
  show();
  expect(screen.getByText(/kind "accesstokens": the contribution memory declares volumes only/)).toBeDefined();
});

function volumes(): void {
  const status = { state: 'detached', robustness: 'unknown', currentNodeID: '', replicas: [], actualSize: '0', conditions: [] };
  const api = new FakeApi().install();
  ['v1', 'v2'].forEach((name) => api.put('volumes', { metadata: { name }, spec: { size: '1Gi', numberOfReplicas: 1 }, status } as never));
}

test('a column shows a cell for each row, and leaves with its bundle', async () => {
  const component = ({ resource }: { resource: Resource }) => <>{`cell of ${resource.metadata.name}`}</>;
  await contribute((page) => page.registerColumn({ id: 'memory', kind: 'volumes', title: { en: 'Name', de: 'Speicher' }, component }));
  volumes();
  showView(<VolumesView name={undefined} canWrite />);
  expect(await screen.findByText('cell of v1')).toBeDefined();
  expect(screen.getByText('cell of v2')).toBeDefined();
  expect(screen.getAllByRole('columnheader', { name: 'Name' })).toHaveLength(2);
  act(() => contributions.follow([]));
  expect(screen.queryByText('cell of v1')).toBeNull();
  expect(screen.getAllByRole('columnheader', { name: 'Name' })).toHaveLength(1);
});

test('a cell that throws names its bundle, and the rest of the table stays', async () => {
  const component = ({ resource }: { resource: Resource }) => {
    if (resource.metadata.name === 'v1') {
      throw new Error('planted');
    }
    return <>{`cell of ${resource.metadata.name}`}</>;
  };
  await contribute((page) => page.registerColumn({ id: 'memory', kind: 'volumes', title: 'Memory', component }));
  volumes();
  showView(<VolumesView name={undefined} canWrite />);
  expect(await screen.findByText('The contribution memory of dev.example failed: planted')).toBeDefined();
  expect(screen.getByText('cell of v2')).toBeDefined();
});

function LimitForm({ access }: { access: SettingAccess }) {
  const [failure, setFailure] = useState('');
  const change = (name: string, value?: string) => () => access.change(name, value).catch((error: Error) => setFailure(error.message));
  return (
    <>
      <p>{`limit ${access.valueOf('acme.limit') ?? 'by default'} ${failure}`}</p>
      <button type="button" disabled={!access.canChange} onClick={change('acme.limit', '2')}>two</button>
      <button type="button" onClick={change('acme.limit')}>default</button>
      <button type="button" onClick={change('other')}>other</button>
    </>
  );
}

test('a form of settings reads and changes its own settings only', async () => {
  const user = userEvent.setup();
  await contribute((page) => page.registerSettingForm({ id: 'limit', title: 'Limit', settings: ['acme.limit'], component: LimitForm }), ['settings']);
  const api = new FakeApi().install();
  showView(<SettingsView canWrite />);
  expect(await screen.findByText('limit by default')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'two' }));
  expect(await screen.findByText('limit 2')).toBeDefined();
  expect(api.get('settings', 'acme.limit')?.spec.value).toBe('2');
  await user.click(screen.getByRole('button', { name: 'other' }));
  expect(await screen.findByText(/form "limit": setting "other": the form names acme.limit only/)).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'default' }));
  expect(await screen.findByText(/limit by default/)).toBeDefined();
  expect(api.get('settings', 'acme.limit')).toBeUndefined();
});

test('a form tells a user who changes nothing', async () => {
  await contribute((page) => page.registerSettingForm({ id: 'limit', title: 'Limit', settings: ['acme.limit'], component: LimitForm }), ['settings']);
  new FakeApi().install();
  showView(<SettingsView canWrite={false} />);
  expect((await screen.findByRole('button', { name: 'two' })).hasAttribute('disabled')).toBe(true);
});

test('contributions get every export of React', () => {
  const published = Object.keys(React).filter((name) => !name.startsWith('__') && !name.startsWith('unstable_'));
  expect(Object.keys(contributedReact).sort()).toEqual(expect.arrayContaining(published.filter((name) => name !== 'default').sort()));
});
