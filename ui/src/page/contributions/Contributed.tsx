// Shows the tabs and the cards of contributions.
import { Tab as TabOfView, Tabs, TabTitleText } from '@patternfly/react-core';
import { useState, type ReactNode } from 'react';
import type { Card, Resource as ResourceOfSdk, Tab, TabKind } from '../../../sdk';
import type { Resource } from '../api/types';
import { Part as PartOfView } from '../parts/View';
import { useLanguage, useText } from '../text/text';
import { Area, keyOf, partsOf, titleOf } from './Area';
import { useContributions } from './store';
import type { Part } from './types';

function hasTab({ appliesTo, kind }: Tab, wanted: TabKind, resource: ResourceOfSdk): boolean {
  if (kind !== wanted) {
    return false;
  }
  try {
    return appliesTo ? appliesTo(resource) : true;
  } catch {
    // Show the tab, so that its component shows the error.
    return true;
  }
}

const DETAILS = 'details';

/** The view of a resource. It is in a separate tab if contributions add tabs. */
export function ResourceTabs({ kind, resource, children }: { kind: TabKind; resource: Resource; children: ReactNode }) {
  const text = useText();
  const { language } = useLanguage();
  const [chosen, choose] = useState<string>(DETAILS);
  const shown = resource as unknown as ResourceOfSdk;
  const tabs = partsOf(useContributions(), (contribution) => contribution.tabs).filter(({ part }) => hasTab(part, kind, shown));
  if (tabs.length === 0) {
    return children;
  }
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

/** The cards of contributions on the overview. */
export function Cards() {
  const { language } = useLanguage();
  const cards: Part<Card>[] = partsOf(useContributions(), (contribution) => contribution.cards);
  return cards.map(({ part, listing }) => (
    <PartOfView key={keyOf({ part, listing })} title={titleOf(part.title, language)}>
      <Area listing={listing}>
        <part.component />
      </Area>
    </PartOfView>
  ));
}
