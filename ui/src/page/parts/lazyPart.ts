// Parts of the page that are loaded when they are first shown or when the browser is idle.
import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

type Load<P> = () => Promise<{ default: ComponentType<P> }>;

const waiting: (() => Promise<unknown>)[] = [];

export function lazyPart<P>(load: Load<P>): LazyExoticComponent<ComponentType<P>> {
  waiting.push(load);
  return lazy(load);
}

/** Loads every part, so that an open page still works if the node serves another version of its files. */
export async function loadAllParts(): Promise<void> {
  for (let load = waiting.shift(); load; load = waiting.shift()) {
    // A part that fails here fails again where it is shown, and the error is reported there.
    await load().catch(() => undefined);
  }
}
