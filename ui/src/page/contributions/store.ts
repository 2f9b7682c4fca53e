// Loads the contributions that the node lists. Removes those that it no longer lists.
import { useSyncExternalStore } from 'react';
import { isAllowed } from '../api/client';
import { Registration } from './registration';
import type { ContributedPage } from '../../../sdk';
import { NO_PARTS, type Contribution, type Listing } from './types';

const LOAD_LIMIT_MS = 10_000;
const MARK = 'holdfast.loading.';

interface EntryModule {
  default?: unknown;
}

/** Dependencies that tests replace. */
export interface Surroundings {
  load: (address: string) => Promise<EntryModule>;
  /** Records which contribution is being loaded. The record survives when the browser kills the page. */
  marks: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  limitMs: number;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function limited<T>(promise: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it did not load within ${milliseconds / 1000} s`)), milliseconds);
    void promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export class ContributionStore {
  private readonly byName = new Map<string, Contribution>();
  private readonly listeners = new Set<() => void>();
  private readonly retries = new Map<string, number>();
  private all: readonly Contribution[] = [];

  constructor(private readonly surroundings: Surroundings) {}

  snapshot = (): readonly Contribution[] => this.all;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Loads new and replaced contributions. Removes absent ones. */
  follow(listings: readonly Listing[]): void {
    const names = new Set(listings.map(({ name }) => name));
    const gone = [...this.byName.keys()].filter((name) => !names.has(name));
    gone.forEach((name) => this.byName.delete(name));
    if (gone.length > 0) {
      this.publish();
    }
    listings
      .filter(({ name, revision }) => this.byName.get(name)?.listing.revision !== revision)
      .forEach((listing) => void this.load(listing));
  }

  /** Loads a contribution again that failed, or that did not finish loading in an earlier page. */
  retry(listing: Listing): void {
    this.surroundings.marks.removeItem(MARK + listing.name);
    this.retries.set(listing.name, (this.retries.get(listing.name) ?? 0) + 1);
    void this.load(listing);
  }

  /** Removes all contributions before the next user signs in. */
  clear(): void {
    this.byName.clear();
    this.publish();
  }

  private async load(listing: Listing): Promise<void> {
    // Parts of the previous revision are shown until this one is ready.
    const former = this.byName.get(listing.name);
    const entry: Contribution = { ...NO_PARTS, ...former, listing, state: 'loading', message: '' };
    this.byName.set(listing.name, entry);
    this.publish();
    let result: Contribution | undefined;
    try {
      result = { ...entry, ...NO_PARTS, ...(await this.result(listing)) };
    } catch {
      // The API did not answer. The next listing retries.
      result = former;
    }
    if (this.byName.get(listing.name) === entry) {
      if (result) {
        this.byName.set(listing.name, result);
      } else {
        this.byName.delete(listing.name);
      }
      this.publish();
    }
  }

  /** Rejects if the API does not report the rights of the user. */
  private async result(listing: Listing): Promise<Partial<Contribution>> {
    const allowed = await Promise.all(listing.kinds.map((kind) => isAllowed({ verb: 'list', kind })));
    const refused = listing.kinds.filter((_kind, index) => !allowed[index]);
    if (refused.length > 0) {
      return { state: 'hidden', message: refused.join(', ') };
    }
    try {
      return await this.loaded(listing);
    } catch (error) {
      console.warn(`contribution ${listing.name} of ${listing.bundle} ${listing.version}:`, error);
      return { state: 'failed', message: messageOf(error) };
    }
  }

  private async loaded(listing: Listing): Promise<Partial<Contribution>> {
    const { load, limitMs, marks } = this.surroundings;
    const mark = MARK + listing.name;
    if (marks.getItem(mark) === listing.revision) {
      return { state: 'skipped' };
    }
    const unmark = (): void => marks.removeItem(mark);
    marks.setItem(mark, listing.revision);
    // If a script loops while it loads, the browser cannot call this, so the mark stays.
    addEventListener('pagehide', unmark);
    try {
      const registration = new Registration(listing);
      await limited(this.contribute(load, listing, registration), limitMs).finally(() => registration.close());
      return { state: 'ready', ...registration.parts };
    } finally {
      removeEventListener('pagehide', unmark);
      unmark();
    }
  }

  private async contribute(load: Surroundings['load'], listing: Listing, registration: Registration): Promise<void> {
    const path = `plugins/${listing.name}/${encodeURIComponent(listing.revision)}/${listing.entry}`;
    // A browser does not request a failed module again under the same address.
    const retries = this.retries.get(listing.name);
    const { default: begin } = await load(retries ? `${path}?retry=${retries}` : path);
    if (typeof begin !== 'function') {
      throw new Error(`${listing.entry} has no default function`);
    }
    await (begin as (page: ContributedPage) => unknown)(registration.page);
  }

  private publish(): void {
    this.all = [...this.byName.values()].sort((a, b) => (a.listing.name < b.listing.name ? -1 : 1));
    this.listeners.forEach((listener) => listener());
  }
}

export const contributions = new ContributionStore({
  load: (address) => import(/* @vite-ignore */ new URL(address, document.baseURI).href) as Promise<EntryModule>,
  marks: globalThis.sessionStorage,
  limitMs: LOAD_LIMIT_MS,
});

export function useContributions(): readonly Contribution[] {
  return useSyncExternalStore(contributions.subscribe, contributions.snapshot);
}
