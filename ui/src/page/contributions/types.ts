import type { Card, Tab } from '../../../sdk';

/** A contribution as the node lists it. */
export interface Listing {
  name: string;
  bundle: string;
  version: string;
  /** Changes whenever the bundle is updated. */
  revision: string;
  entry: string;
  kinds: string[];
}

export type LoadState = 'loading' | 'ready' | 'hidden' | 'skipped' | 'failed';

/** A contribution as the page shows it. */
export interface Contribution {
  listing: Listing;
  state: LoadState;
  /** Why it is not shown; empty while it is. */
  message: string;
  tabs: readonly Tab[];
  cards: readonly Card[];
}

/** A tab or a card, with the contribution that it is from. */
export interface Part<P> {
  part: P;
  listing: Listing;
}
