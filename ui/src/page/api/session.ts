import { errorOf, send } from './client';
import { mayChange } from './rights';

export interface Session {
  /** Actions that the page offers: all, or none if the user or the session is read-only. The API decides about each request. */
  role: 'admin' | 'view';
}

const ADDRESS = 'v1/session';

async function withRights(response: Response): Promise<Session> {
  const session = (await response.json()) as Session;
  return session.role === 'admin' && (await mayChange()) === false ? { ...session, role: 'view' } : session;
}

/** Returns the signed-in user; undefined if no user is signed in. */
export async function currentSession(): Promise<Session | undefined> {
  const response = await fetch(ADDRESS, { credentials: 'same-origin', cache: 'no-store' });
  if (response.status === 401) {
    return undefined;
  }
  if (!response.ok) {
    throw await errorOf(response);
  }
  return withRights(response);
}

export async function signIn(secret: { code: string } | { token: string }): Promise<Session> {
  const response = await send(ADDRESS, { method: 'POST', body: JSON.stringify(secret) });
  return withRights(response);
}

export async function signOut(): Promise<void> {
  await send(ADDRESS, { method: 'DELETE' });
}

/** Removes the one-time code from the address, so that the history does not contain it. */
export function takeCode(location: Location, history: History): string | undefined {
  const match = /^#code=([A-Za-z0-9_-]+)$/.exec(location.hash);
  if (match) {
    history.replaceState(null, '', location.pathname + location.search);
  }
  return match?.[1];
}

/** Returns whether users of an identity provider can sign in. */
export async function hasProvider(): Promise<boolean> {
  const response = await send('v1/oidc');
  return ((await response.json()) as { configured: boolean }).configured;
}

/** Opens the sign-in page of the identity provider, which redirects the browser back. */
export async function signInAtProvider(): Promise<void> {
  const address = new URL('.', document.baseURI).href;
  const response = await send('v1/oidc/begin', { method: 'POST', body: JSON.stringify({ address }) });
  window.location.assign(((await response.json()) as { location: string }).location);
}
