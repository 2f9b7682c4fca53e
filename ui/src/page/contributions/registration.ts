// Checks and stores the registrations of one entry module's default function.
import type { Card, Column, ContributedPage, SettingForm, Tab, TabKind } from '../../../sdk';
import type { Listing, Parts } from './types';

const ID = /^[a-z0-9][-a-z0-9]*$/;
const MOST = 32;
const KINDS: readonly TabKind[] = ['volumes', 'backingimages'];
const SETTINGS = 'settings';

export class Registration {
  readonly parts = { tabs: [] as Tab[], columns: [] as Column[], forms: [] as SettingForm[], cards: [] as Card[] } satisfies Parts;
  private open = true;
  readonly page: ContributedPage;

  constructor(private readonly listing: Listing) {
    const { tabs, columns, forms, cards } = this.parts;
    this.page = {
      name: listing.name,
      registerTab: (tab) => this.addOfKind(tabs, tab, 'tab'),
      registerColumn: (column) => this.addOfKind(columns, column, 'column'),
      registerSettingForm: (form) => this.addForm(forms, form),
      registerCard: (card) => this.add(cards, card, 'card'),
    };
  }

  /** Ends the period in which the module may register parts. */
  close(): void {
    this.open = false;
  }

  private addOfKind<P extends Tab | Column>(parts: P[], part: P, what: 'tab' | 'column'): void {
    if (!KINDS.includes(part.kind)) {
      throw new Error(`${what} "${part.id}": kind "${part.kind}" has no ${what}s: use ${KINDS.join(' or ')}`);
    }
    this.requireKind(part.kind, `${what} "${part.id}"`);
    this.add(parts, part, what);
  }

  private addForm(forms: SettingForm[], form: SettingForm): void {
    this.requireKind(SETTINGS, `form "${form.id}"`);
    if (!Array.isArray(form.settings) || form.settings.length === 0 || form.settings.some((name) => typeof name !== 'string')) {
      throw new Error(`form "${form.id}": settings: expected the names of its settings`);
    }
    this.add(forms, form, 'form');
  }

  private requireKind(kind: string, what: string): void {
    if (!this.listing.kinds.includes(kind)) {
      throw new Error(`${what}: the contribution does not declare the kind "${kind}": add it to kinds()`);
    }
  }

  private add<P extends Tab | Column | SettingForm | Card>(parts: P[], part: P, what: string): void {
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
