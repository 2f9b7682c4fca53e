import type { ComponentType } from 'react';

/** A resource as the API gives it. */
export interface Resource {
  metadata: {
    name: string;
    uid?: string;
    resourceVersion?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    creationTimestamp?: string;
    deletionTimestamp?: string;
  };
  spec: Record<string, unknown>;
  status: Record<string, unknown>;
}

/** A text, or the text in each language of the page; English stands in for a missing one. */
export type Text = string | { en: string; de?: string };

/** Kinds whose views have tabs, and whose lists have columns. */
export type TabKind = 'volumes' | 'backingimages';

export interface Tab {
  /** Unique in the contribution: lower-case letters, digits and dashes. */
  id: string;
  /** One of the kinds of the contribution. */
  kind: TabKind;
  title: Text;
  component: ComponentType<{ resource: Resource }>;
  /** Returns whether a resource has the tab; every resource of the kind if it is absent. */
  appliesTo?: (resource: Resource) => boolean;
}

export interface Column {
  /** Unique in the contribution: lower-case letters, digits and dashes. */
  id: string;
  /** One of the kinds of the contribution. */
  kind: TabKind;
  title: Text;
  /** The cell of one resource: a short text, rendered for each row. */
  component: ComponentType<{ resource: Resource }>;
}

/** What the component of a form receives. */
export interface SettingAccess {
  /** Returns the value of a setting of the form; undefined while none is set, so that the default is in force. */
  valueOf(name: string): string | undefined;
  /** Whether the page offers changes to the user; the API decides. */
  readonly canChange: boolean;
  /**
   * Sets a setting of the form, or returns it to its default for undefined; rejects with the refusal of the API, and for a
   * setting that the form does not name.
   */
  change(name: string, value: string | undefined): Promise<void>;
}

export interface SettingForm {
  /** Unique in the contribution: lower-case letters, digits and dashes. */
  id: string;
  title: Text;
  /** Names of the settings that the form shows; those of a plugin contain a dot, such as acme.limit. */
  settings: string[];
  component: ComponentType<{ access: SettingAccess }>;
}

export interface Card {
  /** Unique in the contribution: lower-case letters, digits and dashes. */
  id: string;
  title: Text;
  component: ComponentType;
}

/** What the default function of an entry module receives. It registers before it returns or its promise ends. */
export interface ContributedPage {
  /** Name of the contribution. */
  readonly name: string;
  /**
   * Adds a tab to the view of each resource of a kind.
   * @throws Error for a kind without tabs, a kind that the contribution does not declare, or a second tab of this id
   */
  registerTab(tab: Tab): void;
  /**
   * Adds a column to the list of a kind.
   * @throws Error for a kind without columns, a kind that the contribution does not declare, or a second column of this id
   */
  registerColumn(column: Column): void;
  /**
   * Adds a form to the view of settings.
   * @throws Error for a form without settings, a contribution that does not declare the kind settings, or a second form of this id
   */
  registerSettingForm(form: SettingForm): void;
  /**
   * Adds a card to the overview.
   * @throws Error for a second card of this id
   */
  registerCard(card: Card): void;
}

/** What a list shows now: items are undefined until it was read; error says why it cannot be read. */
export interface Resources {
  items: Resource[] | undefined;
  error: Error | undefined;
}

/** Returns the resources of a kind that the contribution declares, and renders again when they change. */
export function useResources(kind: string): Resources;

/** Returns one resource of a kind that the contribution declares; undefined until it was read, or when it does not exist. */
export function useResource(kind: string, name: string): Resource | undefined;

/** Returns whether the user may send a request, such as patch for volumes; undefined until the API has answered. */
export function useAllowed(verb: string, kind: string, name?: string): boolean | undefined;

/** Changes a resource by a JSON merge patch, with the rights of the user; rejects with the refusal of the API. */
export function changeResource(kind: string, name: string, patch: object): Promise<Resource>;

/** Returns the bytes of a size of the API such as 1Gi; undefined for another text. */
export function bytesOf(size: string): number | undefined;

/** Returns a number of bytes as the page writes sizes, for example 1.5Gi. */
export function sizeText(bytes: number): string;
