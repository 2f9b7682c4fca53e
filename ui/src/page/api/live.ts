// Live lists: one list of each kind, then its changes from the stream of the page.
import { useSyncExternalStore } from 'react';
import { ApiError, list } from './client';
import { changes, GONE, type Change, type Followed } from './changes';
import type { Kinds, Plural } from './types';

export interface Live<R> {
  /** Undefined until the first list has arrived. */
  items: R[] | undefined;
  /** Reason why nothing can be shown. A broken connection is not an error. */
  error: ApiError | undefined;
}

const PAGE = '500';

/** All resources of one kind, updated while a view shows them. */
export class LiveList<P extends Plural> implements Followed {
  private readonly listeners = new Set<() => void>();
  private readonly byName = new Map<string, Kinds[P]>();
  private state: Live<Kinds[P]> = { items: undefined, error: undefined };
  version: string | undefined;

  constructor(readonly plural: P) {}

  snapshot = (): Live<Kinds[P]> => this.state;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    if (this.listeners.size === 1) {
      changes.follow(this);
    }
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) {
        changes.leave(this);
      }
    };
  };

  async load(signal: AbortSignal): Promise<void> {
    const found = new Map<string, Kinds[P]>();
    let version = '';
    let next: string | undefined;
    do {
      const page = await list(this.plural, next ? { limit: PAGE, continue: next } : { limit: PAGE });
      page.items.forEach((item) => found.set(item.metadata.name, item));
      version = page.metadata.resourceVersion;
      next = page.metadata.continue;
    } while (next && !signal.aborted);
    if (signal.aborted) {
      return;
    }
    this.byName.clear();
    found.forEach((item, name) => this.byName.set(name, item));
    this.version = version;
    this.publish();
  }

  apply({ type, object }: Change): void {
    this.version = object.metadata.resourceVersion ?? this.version;
    if (type === 'BOOKMARK' || type === 'END') {
      return;
    }
    if (type === 'DELETED') {
      this.byName.delete(object.metadata.name);
    } else {
      this.byName.set(object.metadata.name, object as unknown as Kinds[P]);
    }
    this.publish();
  }

  refused(error: ApiError): void {
    this.version = undefined;
    if (error.code !== GONE) {
      this.publish(error);
    }
  }

  private publish(error?: ApiError): void {
    const items = [...this.byName.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    this.state = error ? { items: this.state.items, error } : { items, error: undefined };
    this.listeners.forEach((listener) => listener());
  }
}

const lists = new Map<Plural, LiveList<Plural>>();

/** Removes all data before the next user signs in. */
export function forget(): void {
  lists.clear();
}

/** Returns all resources of a kind; renders again within a second of each change. */
export function useLive<P extends Plural>(plural: P): Live<Kinds[P]> {
  let live = lists.get(plural);
  if (!live) {
    live = new LiveList<Plural>(plural);
    lists.set(plural, live);
  }
  return useSyncExternalStore(live.subscribe, live.snapshot) as Live<Kinds[P]>;
}
