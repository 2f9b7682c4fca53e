// The view and its filters are in the part of the address behind #, so that any path prefix works.
import { useSyncExternalStore } from 'react';

export interface Route {
  view: string;
  name: string | undefined;
  parameters: URLSearchParams;
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [view = '', name] = path.split('/').map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { view: view || 'overview', name: name || undefined, parameters: new URLSearchParams(query) };
}

export function routeTo(view: string, name?: string, parameters: Record<string, string> = {}): string {
  const kept = Object.entries(parameters).filter(([, value]) => value !== '');
  const query = new URLSearchParams(kept).toString();
  return `#/${view}${name ? `/${encodeURIComponent(name)}` : ''}${query ? `?${query}` : ''}`;
}

/** Changes the parameters of the address without a new history entry. */
export function setParameter(route: Route, key: string, value: string): void {
  const parameters = { ...Object.fromEntries(route.parameters), [key]: value };
  history.replaceState(null, '', routeTo(route.view, route.name, parameters));
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return parseRoute(hash);
}
