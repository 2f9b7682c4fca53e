import { Bullseye, Spinner } from '@patternfly/react-core';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useState, type ComponentType } from 'react';
import { API, ApiError, onSignedOut, send } from './api/client';
import { forget } from './api/live';
import { currentSession, signIn, signOut, takeCode, type Session } from './api/session';
import { contributions } from './contributions/store';
import { lazyPart, loadAllParts } from './parts/lazyPart';
import { useRoute } from './parts/route';
import { Shell, type Destination } from './parts/Shell';
import { SignInForm } from './parts/SignInForm';
import { Trouble } from './parts/Trouble';
import { Texts, useText } from './text/text';
import { Overview } from './views/Overview';
import { VolumesView } from './views/VolumesView';

interface ViewEntry extends Destination {
  /** The view is hidden from users who may not read this kind. */
  plural: string;
  view: string;
  component: ComponentType<{ name: string | undefined; canWrite: boolean }>;
}

const VIEWS: ViewEntry[] = [
  { view: 'overview', title: 'nav.overview', plural: 'volumes', component: Overview },
  { view: 'volumes', title: 'nav.volumes', plural: 'volumes', component: VolumesView },
  { view: 'nodes', title: 'nav.nodes', plural: 'nodes', component: lazyPart(() => import('./views/NodesView')) },
  { view: 'backups', title: 'nav.backups', plural: 'backups', component: lazyPart(() => import('./views/BackupsView')) },
  { view: 'systembackups', title: 'nav.systemBackups', plural: 'systembackups', component: lazyPart(() => import('./views/SystemBackupsView')) },
  { view: 'jobs', title: 'nav.jobs', plural: 'recurringjobs', component: lazyPart(() => import('./views/JobsView')) },
  { view: 'images', title: 'nav.images', plural: 'backingimages', component: lazyPart(() => import('./views/ImagesView')) },
  { view: 'events', title: 'nav.events', plural: 'events', component: lazyPart(() => import('./views/EventsView')) },
  { view: 'upgrades', title: 'nav.upgrades', plural: 'nodes', component: lazyPart(() => import('./views/UpgradesView')) },
  { view: 'plugins', title: 'nav.plugins', plural: 'nodes', component: lazyPart(() => import('./views/PluginsView')) },
  { view: 'access', title: 'nav.access', plural: 'accessroles', component: lazyPart(() => import('./views/AccessView')) },
  { view: 'settings', title: 'nav.settings', plural: 'settings', component: lazyPart(() => import('./views/SettingsView')) },
];

const queries = new QueryClient({ defaultOptions: { queries: { retry: (count, error) => count < 2 && !(error instanceof ApiError && error.code < 500), refetchOnWindowFocus: false } } });

function Waiting() {
  const text = useText();
  return (
    <Bullseye>
      <Spinner aria-label={text('app.loading')} />
    </Bullseye>
  );
}

async function servedKinds(): Promise<Set<string>> {
  const response = await send(API);
  const { resources } = (await response.json()) as { resources: { name: string }[] };
  return new Set(resources.map((resource) => resource.name));
}

function SignedIn({ session, leave }: { session: Session; leave: () => void }) {
  const text = useText();
  const route = useRoute();
  const { data: kinds } = useQuery({ queryKey: ['kinds'], queryFn: servedKinds, staleTime: Infinity });
  useEffect(() => {
    const idle = requestIdleCallback(() => void loadAllParts());
    return () => cancelIdleCallback(idle);
  }, []);
  if (!kinds) {
    return <Waiting />;
  }
  const present = VIEWS.filter((entry) => kinds.has(entry.plural));
  const entry = present.find(({ view }) => view === route.view);
  return (
    <Shell session={session} destinations={present} signOut={leave}>
      <Trouble key={`${route.view}/${route.name ?? ''}`}>
        <Suspense fallback={<Waiting />}>
          {entry ? <entry.component name={route.name} canWrite={session.role === 'admin'} /> : <p>{text('app.notFound')}</p>}
        </Suspense>
      </Trouble>
    </Shell>
  );
}

// Read the code once, before other code reads the address.
const code = takeCode(window.location, window.history);
const opening: Promise<Session | undefined> = code ? signIn({ code }) : currentSession();
opening.catch(() => undefined);

function Gate() {
  const [session, setSession] = useState<Session | null>();
  const [failure, setFailure] = useState<Error>();

  useEffect(() => {
    opening.then(
      (found) => setSession(found ?? null),
      (error: Error) => {
        setFailure(error);
        setSession(null);
      },
    );
    onSignedOut(() => setSession(null));
  }, []);

  function leave(): void {
    void signOut().finally(() => {
      queries.clear();
      forget();
      contributions.clear();
      setSession(null);
    });
  }

  if (session === undefined) {
    return <Waiting />;
  }
  return session === null ? <SignInForm failure={failure} done={setSession} /> : <SignedIn session={session} leave={leave} />;
}

/** The page. */
export function App() {
  return (
    <Texts>
      <QueryClientProvider client={queries}>
        <Trouble>
          <Gate />
        </Trouble>
      </QueryClientProvider>
    </Texts>
  );
}
