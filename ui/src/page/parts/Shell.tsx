import {
  Alert, Button, Flex, FlexItem, FormSelect, FormSelectOption, Label, Masthead, MastheadBrand, MastheadContent, MastheadMain,
  MastheadToggle, Nav, NavItem, NavList, Page, PageSidebar, PageSidebarBody, PageToggleButton, SkipToContent, Switch,
} from '@patternfly/react-core';
import type { ReactNode } from 'react';
import { useIsCut } from '../api/connection';
import type { Session } from '../api/session';
import { useNodeState } from '../contributions/nodeState';
import { useLanguage, useText, type Language } from '../text/text';
import { routeTo, useRoute } from './route';
import { useDark } from './theme';
import type { TextKey } from '../text/en';

export interface Destination {
  view: string;
  title: TextKey;
}

interface Props {
  session: Session;
  destinations: Destination[];
  signOut: () => void;
  children: ReactNode;
}

const CONTENT = 'content';

function Controls({ session, signOut }: { session: Session; signOut: () => void }) {
  const text = useText();
  const [dark, setDark] = useDark();
  const { language, setLanguage } = useLanguage();
  return (
    <Flex className="holdfast-controls" justifyContent={{ default: 'justifyContentFlexEnd' }} alignItems={{ default: 'alignItemsCenter' }}>
      {session.role === 'view' && <Label>{text('app.readOnly')}</Label>}
      <Switch id="dark" label={text('app.dark')} isChecked={dark} onChange={(_event, next) => setDark(next)} />
      <FlexItem>
        <FormSelect aria-label={text('app.language')} value={language} onChange={(_event, next) => setLanguage(next as Language)}>
          <FormSelectOption value="en" label="English" />
          <FormSelectOption value="de" label="Deutsch" />
        </FormSelect>
      </FlexItem>
      <Button variant="secondary" onClick={signOut}>
        {text('app.signOut')}
      </Button>
    </Flex>
  );
}

/** The frame around every view. */
export function Shell({ session, destinations, signOut, children }: Props) {
  const text = useText();
  const route = useRoute();
  const cut = useIsCut();
  const replaced = useNodeState();
  const reload = (
    <Button variant="link" isInline onClick={() => window.location.reload()}>
      {text('app.reload')}
    </Button>
  );
  const masthead = (
    <Masthead>
      <MastheadMain>
        <MastheadToggle>
          <PageToggleButton isHamburgerButton aria-label={text('app.menu')} />
        </MastheadToggle>
        <MastheadBrand>{text('app.name')}</MastheadBrand>
      </MastheadMain>
      <MastheadContent>
        <Controls session={session} signOut={signOut} />
      </MastheadContent>
    </Masthead>
  );
  const sidebar = (
    <PageSidebar>
      <PageSidebarBody>
        <Nav aria-label={text('app.nav')}>
          <NavList>
            {destinations.map(({ view, title }) => (
              <NavItem key={view} to={routeTo(view)} isActive={route.view === view}>
                {text(title)}
              </NavItem>
            ))}
          </NavList>
        </Nav>
      </PageSidebarBody>
    </PageSidebar>
  );
  return (
    <Page
      masthead={masthead}
      sidebar={sidebar}
      isManagedSidebar
      mainContainerId={CONTENT}
      skipToContent={
        <SkipToContent
          href={`#${CONTENT}`}
          onClick={(event) => {
            event.preventDefault();
            document.getElementById(CONTENT)?.focus();
          }}
        >
          {text('app.skip')}
        </SkipToContent>
      }
    >
      <div role="status">
        {cut && <Alert variant="warning" isInline title={text('app.cut')} component="p" />}
        {replaced && <Alert variant="info" isInline title={text('app.replaced')} component="p" actionLinks={reload} />}
      </div>
      {children}
    </Page>
  );
}
