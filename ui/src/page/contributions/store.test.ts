import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ContributedPage } from '../../../sdk';
import { ContributionStore, type Surroundings } from './store';
import type { Contribution, Listing } from './types';

const TAB = { id: 'memory', kind: 'volumes', title: 'Memory', component: () => null } as const;
const CARD = { id: 'memory', title: { en: 'Memory' }, component: () => null };

let readable: Set<string>;
let marked: Map<string, string>;
let modules: Record<string, unknown>;
let loaded: string[];

function listing(change: Partial<Listing> = {}): Listing {
  return { name: 'memory', bundle: 'dev.example', version: '1.0.0', revision: '1.0.0-a', entry: 'index.js', kinds: ['volumes'], ...change };
}

function store(change: Partial<Surroundings> = {}): ContributionStore {
  return new ContributionStore({
    load: (address) => {
      loaded.push(address);
      return Promise.resolve({ default: modules[address.split('/')[2] ?? ''] });
    },
    marks: {
      getItem: (key) => marked.get(key) ?? null,
      setItem: (key, value) => void marked.set(key, value),
      removeItem: (key) => void marked.delete(key),
    },
    limitMs: 10_000,
    ...change,
  });
}

/** Waits until no contribution is loading. */
function settled(contributions: ContributionStore): Promise<readonly Contribution[]> {
  return vi.waitFor(() => {
    expect(contributions.snapshot().map(({ state }) => state)).not.toContain('loading');
    return contributions.snapshot();
  });
}

beforeEach(() => {
  readable = new Set(['volumes']);
  marked = new Map();
  modules = { '1.0.0-a': (page: ContributedPage) => page.registerTab(TAB), '1.0.0-b': (page: ContributedPage) => page.registerCard(CARD) };
  loaded = [];
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('removeEventListener', () => undefined);
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  vi.stubGlobal('fetch', (_path: string, init: RequestInit) => {
    const { spec } = JSON.parse(init.body as string) as { spec: { resourceAttributes: { verb: string; resource: string } } };
    const { verb, resource } = spec.resourceAttributes;
    return Promise.resolve(Response.json({ status: { allowed: verb === 'list' && readable.has(resource) } }));
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test('a contribution registers its tab, and leaves with its bundle', async () => {
  const contributions = store();
  contributions.follow([listing()]);
  const [found] = await settled(contributions);
  expect(found).toMatchObject({ state: 'ready', tabs: [TAB], cards: [] });
  expect(loaded).toEqual(['plugins/memory/1.0.0-a/index.js']);
  contributions.follow([]);
  expect(contributions.snapshot()).toEqual([]);
});

test('a contribution is loaded once however often it is listed', async () => {
  const contributions = store();
  contributions.follow([listing()]);
  contributions.follow([listing()]);
  await settled(contributions);
  contributions.follow([listing()]);
  expect(loaded).toHaveLength(1);
});

test('a user who may not list a kind does not load the script', async () => {
  const contributions = store();
  contributions.follow([listing({ kinds: ['volumes', 'accesstokens'] })]);
  const [found] = await settled(contributions);
  expect(found).toMatchObject({ state: 'hidden', message: 'accesstokens', tabs: [] });
  expect(loaded).toEqual([]);
});

test('rights that the API does not tell are asked again', async () => {
  const answering = fetch;
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('network error')));
  const contributions = store();
  contributions.follow([listing()]);
  await vi.waitFor(() => expect(contributions.snapshot()).toEqual([]));
  vi.stubGlobal('fetch', answering);
  contributions.follow([listing()]);
  expect((await settled(contributions))[0]?.state).toBe('ready');
});

test('a replaced contribution shows what the former one registered until it is ready', async () => {
  const contributions = store();
  contributions.follow([listing()]);
  await settled(contributions);
  contributions.follow([listing({ revision: '1.0.0-b' })]);
  expect(contributions.snapshot()[0]).toMatchObject({ state: 'loading', tabs: [TAB] });
  expect((await settled(contributions))[0]).toMatchObject({ state: 'ready', tabs: [], cards: [CARD] });
});

test('a script that is late loses to the revision that replaced it', async () => {
  let begin: (module: { default: unknown }) => void = () => undefined;
  const slow = new Promise<{ default: unknown }>((resolve) => (begin = resolve));
  const contributions = store({ load: (address) => (address.includes('1.0.0-a') ? slow : Promise.resolve({ default: modules['1.0.0-b'] })) });
  contributions.follow([listing()]);
  contributions.follow([listing({ revision: '1.0.0-b' })]);
  await settled(contributions);
  begin({ default: modules['1.0.0-a'] });
  await slow;
  expect((await settled(contributions))[0]).toMatchObject({ tabs: [], cards: [CARD] });
});

test.each<[string, unknown, string]>([
  ['throws', () => { throw new Error('planted'); }, 'planted'],
  ['has no default function', 'text', 'index.js has no default function'],
  ['never ends', () => new Promise(() => undefined), 'it did not load within 0.01 s'],
  ['registers for a kind that it does not declare', (page: ContributedPage) => page.registerTab({ ...TAB, kind: 'backingimages' }), 'does not declare the kind "backingimages"'],
  ['registers for a kind without tabs', (page: ContributedPage) => page.registerTab({ ...TAB, kind: 'settings' as 'volumes' }), 'kind "settings" has no tabs'],
  ['registers a column of a kind that it does not declare', (page: ContributedPage) => page.registerColumn({ ...TAB, kind: 'backingimages' }), 'column "memory": the contribution does not declare the kind "backingimages"'],
  ['registers a column of a kind without columns', (page: ContributedPage) => page.registerColumn({ ...TAB, kind: 'nodes' as 'volumes' }), 'kind "nodes" has no columns'],
  ['registers a form and does not declare settings', (page: ContributedPage) => page.registerSettingForm({ ...CARD, settings: ['acme.limit'] }), 'does not declare the kind "settings"'],
  ['registers an id twice', (page: ContributedPage) => [TAB, TAB].forEach((tab) => page.registerTab(tab)), 'registered already'],
  ['registers without a title', (page: ContributedPage) => page.registerCard({ ...CARD, title: undefined as unknown as string }), 'title: expected a text'],
  ['registers without a component', (page: ContributedPage) => page.registerCard({ ...CARD, component: 'x' as unknown as () => null }), 'component: expected a function'],
])('a module that %s is reported, and others are shown', async (_what, module, message) => {
  modules['bad'] = module;
  const contributions = store({ limitMs: 10 });
  contributions.follow([listing({ name: 'bad', revision: 'bad' }), listing()]);
  const [bad, good] = await settled(contributions);
  expect(bad).toMatchObject({ state: 'failed', tabs: [], cards: [] });
  expect(bad?.message).toContain(message);
  expect(good?.state).toBe('ready');
  expect(marked.size).toBe(0);
});

test('a form without settings is reported', async () => {
  readable.add('settings');
  modules['bad'] = (page: ContributedPage) => page.registerSettingForm({ ...CARD, settings: [] });
  const contributions = store();
  contributions.follow([listing({ revision: 'bad', kinds: ['settings'] })]);
  expect((await settled(contributions))[0]).toMatchObject({ state: 'failed', message: 'form "memory": settings: expected the names of its settings' });
});

test('a module cannot register after its default function ended', async () => {
  let kept: ContributedPage | undefined;
  modules['1.0.0-a'] = (page: ContributedPage) => {
    kept = page;
  };
  const contributions = store();
  contributions.follow([listing()]);
  await settled(contributions);
  expect(() => kept?.registerTab(TAB)).toThrow('before the default function ends');
});

test('a script that kept an earlier page from loading waits for the user', async () => {
  marked.set('holdfast.loading.memory', '1.0.0-a');
  const contributions = store();
  contributions.follow([listing()]);
  expect((await settled(contributions))[0]).toMatchObject({ state: 'skipped', tabs: [] });
  expect(loaded).toEqual([]);
  contributions.retry(listing());
  expect((await settled(contributions))[0]).toMatchObject({ state: 'ready', tabs: [TAB] });
});

test('a script is marked while it loads', async () => {
  let marks: [string, string][] = [];
  modules['1.0.0-a'] = () => {
    marks = [...marked];
  };
  const contributions = store();
  contributions.follow([listing()]);
  await settled(contributions);
  expect(marks).toEqual([['holdfast.loading.memory', '1.0.0-a']]);
});
