// Checks and keeps what the default function of one entry module registers.
import type { Card, ContributedPage, Tab, TabKind } from '../../../sdk';
import type { Listing } from './types';

const ID = /^[a-z0-9][-a-z0-9]*$/;
const MOST = 32;
const TAB_KINDS: readonly TabKind[] = ['volumes', 'backingimages'];

export class Registration {
  readonly tabs: Tab[] = [];
  readonly cards: Card[] = [];
  private open = true;
  readonly page: ContributedPage;

  constructor(private readonly listing: Listing) {
    this.page = {
      name: listing.name,
      registerTab: (tab) => this.registerTab(tab),
      registerCard: (card) => this.add(this.cards, card, 'card'),
    };
  }

  /** Ends the time in which the module may register. */
  close(): void {
    this.open = false;
  }

  private registerTab(tab: Tab): void {
    if (!TAB_KINDS.includes(tab.kind)) {
      throw new Error(`tab "${tab.id}": kind "${tab.kind}" has no tabs: use ${TAB_KINDS.join(' or ')}`);
    }
    if (!this.listing.kinds.includes(tab.kind)) {
      throw new Error(`tab "${tab.id}": the contribution does not declare the kind "${tab.kind}": add it to kinds()`);
    }
    this.add(this.tabs, tab, 'tab');
  }

  private add<P extends Tab | Card>(parts: P[], part: P, what: string): void {
    if (!this.open) {
      throw new Error(`${what} "${part.id}": register it before the default function ends`);
    }
    if (typeof part.id !== 'string' || !ID.test(part.id)) {
      throw new Error(`${what} "${part.id}": an id has lower-case letters, digits and dashes`);
    }
    if (typeof part.component !== 'function') {
      throw new Error(`${what} "${part.id}": component: expected a function`);
    }
    if (typeof part.title !== 'string' && typeof part.title?.en !== 'string') {
      throw new Error(`${what} "${part.id}": title: expected a text, or { en, de }`);
    }
    if (parts.some(({ id }) => id === part.id)) {
      throw new Error(`${what} "${part.id}": this id is registered already`);
    }
    if (parts.length >= MOST) {
      throw new Error(`${what} "${part.id}": at most ${MOST} are shown`);
    }
    parts.push(part);
  }
}
