import type { Card, Column, SettingForm, Tab } from '../../../sdk';

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

/** What a contribution has registered. */
export interface Parts {
  tabs: readonly Tab[];
  columns: readonly Column[];
  forms: readonly SettingForm[];
  cards: readonly Card[];
}

export const NO_PARTS: Parts = { tabs: [], columns: [], forms: [], cards: [] };

/** A contribution as the page shows it. */
export interface Contribution extends Parts {
  listing: Listing;
  state: LoadState;
  /** Why it is not shown; empty while it is. */
  message: string;
}

/** What was registered, with the contribution that it is from. */
export interface Part<P> {
  part: P;
  listing: Listing;
}
