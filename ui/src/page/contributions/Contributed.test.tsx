// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import * as React from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ContributedPage, Resource } from '../../../sdk';
import * as contributedReact from '../sdk/react';
import { useResources } from '../sdk/pageSdk';
import { Texts } from '../text/text';
import { Cards, ResourceTabs } from './Contributed';
import { contributions } from './store';

const VOLUME = { metadata: { name: 'v1' }, spec: { dataEngine: 'memory' }, status: {} };

/** Shows a contribution whose module has this default function. */
async function contribute(begin: (page: ContributedPage) => void): Promise<void> {
  vi.spyOn(contributions['surroundings'], 'load').mockResolvedValue({ default: begin });
  contributions.follow([
    { name: 'memory', bundle: 'dev.example', version: '1.0.0', revision: 'a', entry: 'index.js', kinds: ['volumes'] },
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

test('contributions get every export of React', () => {
  const published = Object.keys(React).filter((name) => !name.startsWith('__') && !name.startsWith('unstable_'));
  expect(Object.keys(contributedReact).sort()).toEqual(expect.arrayContaining(published.filter((name) => name !== 'default').sort()));
});
