import { Flex, FlexItem, PageSection, Title } from '@patternfly/react-core';
import type { ReactNode } from 'react';

/** A view: its title, its actions at the top, and its content. */
export function View({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <PageSection hasBodyWrapper={false}>
      <Flex justifyContent={{ default: 'justifyContentSpaceBetween' }} alignItems={{ default: 'alignItemsCenter' }}>
        <FlexItem>
          <Title headingLevel="h1">{title}</Title>
        </FlexItem>
        {actions && <FlexItem>{actions}</FlexItem>}
      </Flex>
      <div className="holdfast-content">{children}</div>
    </PageSection>
  );
}

export function Part({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="holdfast-part" aria-label={title}>
      <Flex justifyContent={{ default: 'justifyContentSpaceBetween' }} alignItems={{ default: 'alignItemsCenter' }}>
        <FlexItem>
          <Title headingLevel="h2" size="lg">
            {title}
          </Title>
        </FlexItem>
        {actions && <FlexItem>{actions}</FlexItem>}
      </Flex>
      {children}
    </section>
  );
}
