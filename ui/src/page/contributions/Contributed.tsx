// Shows the parts of contributions, each so that its failure leaves the rest of the page usable.
import { Alert, Button, Tab as TabOfView, Tabs, TabTitleText } from '@patternfly/react-core';
import { Component, useState, type ReactNode } from 'react';
import type { Card, Resource as ResourceOfSdk, Tab, TabKind, Text } from '../../../sdk';
import type { Resource } from '../api/types';
import { Part as PartOfView } from '../parts/View';
import { useLanguage, useText, type Language } from '../text/text';
import { ContributionProvider } from './context';
import { useContributions } from './store';
import type { Contribution, Listing, Part } from './types';

function titleOf(title: Text, language: Language): string {
  return typeof title === 'string' ? title : (title[language] ?? title.en);
}

function Failed({ listing, message, retry }: { listing: Listing; message: string; retry: () => void }) {
  const text = useText();
  const { name, bundle } = listing;
  return (
    <Alert
      variant="danger"
      isInline
      component="p"
      title={text('contribution.failed', { name, bundle, message })}
      actionLinks={
        <Button variant="link" isInline onClick={retry}>
          {text('contribution.again')}
        </Button>
      }
    />
  );
}

/** Catches what a component of a contribution throws. */
class Boundary extends Component<{ listing: Listing; children: ReactNode }, { message: string | undefined }> {
  override state: { message: string | undefined } = { message: undefined };

  static getDerivedStateFromError(error: unknown): { message: string } {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    const { message } = this.state;
    return message === undefined ? (
      this.props.children
    ) : (
      <Failed listing={this.props.listing} message={message} retry={() => this.setState({ message: undefined })} />
    );
  }
}

function Area({ listing, children }: { listing: Listing; children: ReactNode }) {
  return (
    <ContributionProvider value={listing}>
      <Boundary key={listing.revision} listing={listing}>
        {children}
      </Boundary>
    </ContributionProvider>
  );
}

function partsOf<P>(all: readonly Contribution[], select: (contribution: Contribution) => readonly P[]): Part<P>[] {
  return all.flatMap((contribution) => select(contribution).map((part) => ({ part, listing: contribution.listing })));
}

function hasTab({ appliesTo, kind }: Tab, wanted: TabKind, resource: ResourceOfSdk): boolean {
  if (kind !== wanted) {
    return false;
  }
  try {
    return appliesTo ? appliesTo(resource) : true;
  } catch {
    // The tab is shown, so that its component shows what is wrong.
    return true;
  }
}

const DETAILS = 'details';

/** The view of a resource, in a tab of its own when contributions add tabs. */
export function ResourceTabs({ kind, resource, children }: { kind: TabKind; resource: Resource; children: ReactNode }) {
  const text = useText();
  const { language } = useLanguage();
  const [chosen, choose] = useState<string>(DETAILS);
  const shown = resource as unknown as ResourceOfSdk;
  const tabs = partsOf(useContributions(), (contribution) => contribution.tabs).filter(({ part }) => hasTab(part, kind, shown));
  if (tabs.length === 0) {
    return children;
  }
  const keyOf = ({ part, listing }: Part<Tab>) => `${listing.name}/${part.id}`;
  const details = (
    <TabOfView key={DETAILS} eventKey={DETAILS} title={<TabTitleText>{text('contribution.details')}</TabTitleText>}>
      {children}
    </TabOfView>
  );
  const contributed = tabs.map((tab) => (
    <TabOfView key={keyOf(tab)} eventKey={keyOf(tab)} title={<TabTitleText>{titleOf(tab.part.title, language)}</TabTitleText>}>
      <div className="holdfast-content">
        <Area listing={tab.listing}>
          <tab.part.component resource={shown} />
        </Area>
      </div>
    </TabOfView>
  ));
  return (
    <Tabs
      activeKey={tabs.some((tab) => keyOf(tab) === chosen) ? chosen : DETAILS}
      onSelect={(_event, key) => choose(String(key))}
      aria-label={text('contribution.tabs')}
      mountOnEnter
    >
      {[details, ...contributed]}
    </Tabs>
  );
}

/** The cards that contributions add to the overview. */
export function Cards() {
  const { language } = useLanguage();
  const cards: Part<Card>[] = partsOf(useContributions(), (contribution) => contribution.cards);
  return cards.map(({ part, listing }) => (
    <PartOfView key={`${listing.name}/${part.id}`} title={titleOf(part.title, language)}>
      <Area listing={listing}>
        <part.component />
      </Area>
    </PartOfView>
  ));
}
