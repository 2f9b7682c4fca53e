// State of the connection to the node: watches report it, and a short request tests it.
import { useSyncExternalStore } from 'react';

const TEST_EVERY_MS = 3000;
const TEST_LIMIT_MS = 2000;

type Listener = () => void;

class Connection {
  private readonly listeners = new Set<Listener>();
  private readonly broken = new Set<object>();
  private failedTest = false;
  private timer: ReturnType<typeof setInterval> | undefined;

  /** Records whether the connection of a watch is broken. */
  report(watch: object, cut: boolean): void {
    const before = this.isCut();
    if (cut) {
      this.broken.add(watch);
    } else {
      this.broken.delete(watch);
    }
    this.tellIfChanged(before);
  }

  isCut(): boolean {
    return this.failedTest || this.broken.size > 0;
  }

  subscribe = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    this.timer ??= setInterval(() => void this.test(), TEST_EVERY_MS);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) {
        clearInterval(this.timer);
        this.timer = undefined;
      }
    };
  };

  private async test(): Promise<void> {
    const before = this.isCut();
    try {
      const response = await fetch('../livez', { cache: 'no-store', signal: AbortSignal.timeout(TEST_LIMIT_MS) });
      this.failedTest = !response.ok;
    } catch {
      this.failedTest = true;
    }
    this.tellIfChanged(before);
  }

  private tellIfChanged(before: boolean): void {
    if (before !== this.isCut()) {
      this.listeners.forEach((listener) => listener());
    }
  }
}

export const connection = new Connection();

export function useIsCut(): boolean {
  return useSyncExternalStore(connection.subscribe, () => connection.isCut());
}
