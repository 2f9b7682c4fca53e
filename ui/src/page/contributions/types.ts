import type { Card, Column, SettingForm, Tab } from '../../../sdk';

/** A contribution in the form of the node's listing. */
export interface Listing {
  name: string;
  bundle: string;
  version: string;
  /** Changes with each update of the bundle. */
  revision: string;
  entry: string;
  kinds: string[];
}

export type LoadState = 'loading' | 'ready' | 'hidden' | 'skipped' | 'failed';

/** Parts that a contribution registered. */
export interface Parts {
  tabs: readonly Tab[];
  columns: readonly Column[];
  forms: readonly SettingForm[];
  cards: readonly Card[];
}

export const NO_PARTS: Parts = { tabs: [], columns: [], forms: [], cards: [] };

/** A contribution in the form that the page shows. */
export interface Contribution extends Parts {
  listing: Listing;
  state: LoadState;
  /** Reason why it is not shown; empty while it is shown. */
  message: string;
}

/** A registered part and its contribution. */
export interface Part<P> {
  part: P;
  listing: Listing;
}
