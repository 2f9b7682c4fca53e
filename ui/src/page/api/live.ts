// The one place that knows how changes arrive: a list, then a watch of the kind from its version.
// A watch of several kinds in one stream can replace it without a change of the views.
import { useSyncExternalStore } from 'react';
import { address, ApiError, list, send } from './client';
import { connection } from './connection';
import { jsonLines } from './lines';
import type { Kinds, Plural, Resource } from './types';

export interface Live<R> {
  /** Undefined until the first list has arrived. */
  items: R[] | undefined;
  /** Why nothing can be shown; a cut connection does not count. */
  error: ApiError | undefined;
}

interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: Resource & { code?: number; message?: string; reason?: string };
}

const FIRST_DELAY_MS = 300;
const LONGEST_DELAY_MS = 5000;
const PAGE = '500';
const GONE = 410;

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** All resources of one kind, kept current while a view shows them. */
export class LiveList<P extends Plural> {
  private readonly listeners = new Set<() => void>();
  private readonly byName = new Map<string, Kinds[P]>();
  private state: Live<Kinds[P]> = { items: undefined, error: undefined };
  private version: string | undefined;
  private abort: AbortController | undefined;

  constructor(private readonly plural: P) {}

  snapshot = (): Live<Kinds[P]> => this.state;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    if (!this.abort) {
      this.abort = new AbortController();
      void this.run(this.abort.signal);
    }
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) {
        this.abort?.abort();
        this.abort = undefined;
        connection.report(this, false);
      }
    };
  };

  private async run(signal: AbortSignal): Promise<void> {
    let delay = FIRST_DELAY_MS;
    while (!signal.aborted) {
      try {
        if (this.version === undefined) {
          await this.load(signal);
        }
        await this.watch(signal);
        delay = FIRST_DELAY_MS;
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        this.failed(error);
        // Clients that lost the same node do not all come back at the same time.
        await pause(delay * (0.5 + Math.random() / 2), signal);
        delay = Math.min(delay * 2, LONGEST_DELAY_MS);
      }
    }
  }

  private failed(error: unknown): void {
    if (error instanceof ApiError && error.code === GONE) {
      this.version = undefined;
    } else if (error instanceof ApiError && error.code < 500 && error.code !== 429) {
      this.version = undefined;
      this.publish(error);
    } else {
      connection.report(this, true);
    }
  }

  private async load(signal: AbortSignal): Promise<void> {
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

  private async watch(signal: AbortSignal): Promise<void> {
    const parameters = { watch: 'true', resourceVersion: this.version ?? '0', sendInitialEvents: 'false', allowWatchBookmarks: 'true' };
    const response = await send(address(this.plural, undefined, parameters), { signal });
    connection.report(this, false);
    if (!response.body) {
      throw new TypeError('the watch has no body');
    }
    for await (const line of jsonLines(response.body)) {
      if (signal.aborted) {
        return;
      }
      this.apply(line as WatchEvent);
    }
  }

  private apply({ type, object }: WatchEvent): void {
    if (type === 'ERROR') {
      throw new ApiError(object.code ?? 500, object.reason ?? '', object.message ?? '');
    }
    this.version = object.metadata.resourceVersion ?? this.version;
    if (type === 'BOOKMARK') {
      return;
    }
    if (type === 'DELETED') {
      this.byName.delete(object.metadata.name);
    } else {
      this.byName.set(object.metadata.name, object as unknown as Kinds[P]);
    }
    this.publish();
  }

  private publish(error?: ApiError): void {
    const items = [...this.byName.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    this.state = error ? { items: this.state.items, error } : { items, error: undefined };
    this.listeners.forEach((listener) => listener());
  }
}

const lists = new Map<Plural, LiveList<Plural>>();

/** Forgets everything, for the next user. */
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
