// Checks every 3 s whether the page or the contributions of the node changed.
import { useEffect, useState } from 'react';
import { contributions } from './store';
import type { Listing } from './types';

const EVERY_MS = 3000;
const LIMIT_MS = 10_000;

interface NodeState {
  /** Identifies the content of the page's files. */
  page: string;
  contributions: Listing[];
}

async function read(signal: AbortSignal): Promise<NodeState | undefined> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const response = await fetch('v1/state', { credentials: 'same-origin', cache: 'no-store', signal: limit });
    return response.ok ? ((await response.json()) as NodeState) : undefined;
  } catch {
    // The banner for a broken connection reports this.
    return undefined;
  }
}

function ownVersion(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="holdfast-page"]')?.content ?? '';
}

/** Follows the contributions of the node. Returns whether the node serves another version of the page. */
export function useNodeState(): boolean {
  const [replaced, setReplaced] = useState(false);
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    async function ask(): Promise<void> {
      const state = await read(abort.signal);
      if (abort.signal.aborted) {
        return;
      }
      if (state) {
        contributions.follow(state.contributions);
        setReplaced(state.page !== ownVersion());
      }
      timer = setTimeout(() => void ask(), EVERY_MS);
    }
    void ask();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, []);
  return replaced;
}
