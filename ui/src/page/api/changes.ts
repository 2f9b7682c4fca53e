// The single stream of changes of a page: a watch of each kind that a view shows.
import { API, ApiError, send } from './client';
import { connection } from './connection';
import { jsonLines } from './lines';
import type { Plural, Resource } from './types';

export interface Change {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'END' | 'ERROR';
  object: Resource & { code?: number; message?: string; reason?: string };
}

/** A list that the stream updates. */
export interface Followed {
  readonly plural: Plural;
  /** Changes after this version are missing in the list; undefined if the list must be loaded. */
  readonly version: string | undefined;
  load(signal: AbortSignal): Promise<void>;
  apply(change: Change): void;
  /** Called when the API refuses the list or the watch. Code 410 means that it no longer keeps the version. */
  refused(error: ApiError): void;
}

/** Status code for a version that the node no longer keeps. */
export const GONE = 410;
const TOO_MANY = 429;
const FIRST_DELAY_MS = 300;
const LONGEST_DELAY_MS = 5000;

function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code < 500 && error.code !== TOO_MANY;
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Follows lists by one request. The request is restarted when a list joins or leaves. */
class Changes {
  private readonly followed = new Set<Followed>();
  private readonly refusedLists = new Set<Followed>();
  private abort: AbortController | undefined;
  private restarting = false;

  follow(list: Followed): void {
    this.followed.add(list);
    this.restart();
  }

  leave(list: Followed): void {
    this.followed.delete(list);
    this.refusedLists.delete(list);
    this.restart();
  }

  /** Restarts once for all lists of a view, because they join and leave together. */
  private restart(): void {
    if (this.restarting) {
      return;
    }
    this.restarting = true;
    queueMicrotask(() => {
      this.restarting = false;
      this.abort?.abort();
      this.abort = undefined;
      if (this.followed.size === 0) {
        connection.report(this, false);
        return;
      }
      this.abort = new AbortController();
      void this.run(this.abort.signal);
    });
  }

  private async run(signal: AbortSignal): Promise<void> {
    let delay = FIRST_DELAY_MS;
    while (!signal.aborted) {
      try {
        await this.loadMissing(signal);
        await this.watch(signal);
        delay = FIRST_DELAY_MS;
      } catch {
        if (signal.aborted) {
          return;
        }
        connection.report(this, true);
        // The random delay spreads the reconnections of clients that lost the same node.
        await pause(delay * (0.5 + Math.random() / 2), signal);
        delay = Math.min(delay * 2, LONGEST_DELAY_MS);
      }
    }
  }

  private async loadMissing(signal: AbortSignal): Promise<void> {
    this.refusedLists.clear();
    const missing = [...this.followed].filter(({ version }) => version === undefined);
    await Promise.all(missing.map((list) => this.load(list, signal)));
  }

  private async load(list: Followed, signal: AbortSignal): Promise<void> {
    try {
      await list.load(signal);
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      if (!isRefusal(error)) {
        throw error;
      }
      this.refuse(list, error);
    }
  }

  private refuse(list: Followed, error: ApiError): void {
    list.refused(error);
    this.refusedLists.add(list);
  }

  private async watch(signal: AbortSignal): Promise<void> {
    const watched = new Map([...this.followed].filter((list) => !this.refusedLists.has(list)).map((list) => [list.plural as string, list]));
    if (watched.size === 0) {
      return pause(LONGEST_DELAY_MS, signal);
    }
    const entries = [...watched.values()].map(({ plural, version }) => ({ id: plural, kind: plural, resourceVersion: version }));
    const response = await send(`${API}/watch`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(entries),
      signal,
    });
    connection.report(this, false);
    if (!response.body) {
      throw new TypeError('the stream of changes has no body');
    }
    for await (const line of jsonLines(response.body)) {
      if (signal.aborted) {
        return;
      }
      const { id, ...change } = line as Change & { id: string };
      const list = watched.get(id);
      if (list && !this.pass(change, list)) {
        return;
      }
    }
  }

  /** Returns whether the stream continues. It ends if a list must be loaded or watched again. */
  private pass(change: Change, list: Followed): boolean {
    if (change.type !== 'ERROR') {
      list.apply(change);
      return change.type !== 'END';
    }
    const { code = 500, reason = '', message = '' } = change.object;
    const error = new ApiError(code, reason, message);
    if (code === GONE) {
      list.refused(error);
      return false;
    }
    if (!isRefusal(error)) {
      throw error;
    }
    this.refuse(list, error);
    return true;
  }
}

export const changes = new Changes();
