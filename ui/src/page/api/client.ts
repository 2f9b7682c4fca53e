// Requests to the node's API. Addresses are relative to /page/, so that a path prefix is preserved.
import { KIND_NAMES, type Kinds, type Plural } from './types';

export const API_VERSION = 'holdfast.dev/v1';
export const API = `../apis/${API_VERSION}`;
const TIME_LIMIT_MS = 15_000;
const EDIT_ATTEMPTS = 5;

/** Status code if another client changed the resource first. */
export const CONFLICT = 409;

/** Status code for a resource or a type of request that the node does not know. */
export const NOT_FOUND = 404;

export interface Cause {
  field: string;
  message: string;
}

/** A refusal with the message of the API. */
export class ApiError extends Error {
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
    readonly causes: Cause[] = [],
  ) {
    super(message);
    this.name = 'ApiError';
  }

  /** Returns the API's message about one field, for example spec.size. */
  about(field: string): string | undefined {
    return this.causes.find((cause) => cause.field === field)?.message;
  }
}

interface Status {
  message?: string;
  reason?: string;
  details?: { causes?: { field?: string; message?: string }[] };
}

export async function errorOf(response: Response): Promise<ApiError> {
  const status = (await response.json().catch(() => ({}))) as Status;
  const causes = (status.details?.causes ?? []).map(({ field = '', message = '' }) => ({ field, message }));
  return new ApiError(
    response.status,
    status.reason ?? response.statusText,
    status.message ?? `the server answered ${response.status}`,
    causes,
  );
}

let signedOut: () => void = () => undefined;

/** Calls a function when the API no longer accepts the session. */
export function onSignedOut(listener: () => void): void {
  signedOut = listener;
}

export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('X-Holdfast-Page', '1');
  const response = await fetch(path, {
    ...init,
    headers,
    credentials: 'same-origin',
    cache: 'no-store',
    signal: init.signal ?? AbortSignal.timeout(TIME_LIMIT_MS),
  });
  if (response.ok) {
    return response;
  }
  if (response.status === 401) {
    signedOut();
  }
  throw await errorOf(response);
}

export function address(plural: Plural, name?: string, parameters: Record<string, string> = {}): string {
  const query = new URLSearchParams(parameters).toString();
  return `${API}/${plural}${name ? `/${encodeURIComponent(name)}` : ''}${query ? `?${query}` : ''}`;
}

export interface List<R> {
  metadata: { resourceVersion: string; continue?: string };
  items: R[];
}

export async function list<P extends Plural>(plural: P, parameters: Record<string, string> = {}): Promise<List<Kinds[P]>> {
  const response = await send(address(plural, undefined, parameters));
  return (await response.json()) as List<Kinds[P]>;
}

export async function get<P extends Plural>(plural: P, name: string): Promise<Kinds[P]> {
  return (await (await send(address(plural, name))).json()) as Kinds[P];
}

export async function create<P extends Plural>(plural: P, name: string, spec: object): Promise<Kinds[P]> {
  const body = { apiVersion: API_VERSION, kind: KIND_NAMES[plural], metadata: { name }, spec };
  const response = await send(address(plural), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Kinds[P];
}

/** Changes fields. With a version the change fails if another client changed the resource. */
export async function patch<P extends Plural>(plural: P, name: string, change: object, version?: string): Promise<Kinds[P]> {
  return sendPatch(plural, name, change, version, {});
}

/**
 * Changes fields depending on their present values, for example lists, which a merge patch replaces as a whole. Retries if
 * another client changed the resource first. The function can stop this by throwing an error.
 */
export async function edit<P extends Plural>(plural: P, name: string, change: (now: Kinds[P]) => object): Promise<Kinds[P]> {
  for (let attempt = 1; ; attempt++) {
    const now = await get(plural, name);
    const changed = change(now);
    try {
      return await patch(plural, name, changed, now.metadata.resourceVersion);
    } catch (error) {
      if (attempt === EDIT_ATTEMPTS || !(error instanceof ApiError && error.code === CONFLICT)) {
        throw error;
      }
    }
  }
}

/** Returns the resource that a change would produce, with all checks. Changes nothing. */
export async function tryPatch<P extends Plural>(plural: P, name: string, change: object, version: string): Promise<Kinds[P]> {
  return sendPatch(plural, name, change, version, { dryRun: 'All' });
}

async function sendPatch<P extends Plural>(
  plural: P,
  name: string,
  change: { metadata?: object },
  version: string | undefined,
  parameters: Record<string, string>,
): Promise<Kinds[P]> {
  const body = version === undefined ? change : { ...change, metadata: { ...change.metadata, resourceVersion: version } };
  const response = await send(address(plural, name, parameters), {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/merge-patch+json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Kinds[P];
}

/** Deletes the resource that the user sees, but not another one of the same name. */
export async function remove(plural: Plural, name: string, uid?: string): Promise<void> {
  await sendRemoval(plural, name, uid, {});
}

/** Checks whether a resource can be deleted. Deletes nothing. */
export async function tryRemove(plural: Plural, name: string, uid?: string): Promise<void> {
  await sendRemoval(plural, name, uid, { dryRun: 'All' });
}

async function sendRemoval(plural: Plural, name: string, uid: string | undefined, parameters: Record<string, string>): Promise<void> {
  await send(address(plural, name, parameters), {
    method: 'DELETE',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', ...(uid ? { preconditions: { uid } } : {}) }),
  });
}

export interface Question {
  verb: string;
  /** Plural name of the kind. */
  kind: string;
  /** Name of a resource; absent for all resources of the kind. */
  name?: string;
}

/** Queries the API for rights of the signed-in user. Returns the status of the answer. */
export async function review<S>(kind: 'SelfSubjectAccessReview' | 'SelfSubjectRulesReview', spec: object, signal?: AbortSignal): Promise<S> {
  const response = await send(`../apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind, spec }),
    ...(signal ? { signal } : {}),
  });
  return ((await response.json()) as { status: S }).status;
}

/** Returns whether the signed-in user may send a request. */
export async function isAllowed({ verb, kind, name }: Question, signal?: AbortSignal): Promise<boolean> {
  const resourceAttributes = { group: 'holdfast.dev', verb, resource: kind, ...(name ? { name } : {}) };
  return (await review<{ allowed: boolean }>('SelfSubjectAccessReview', { resourceAttributes }, signal)).allowed;
}
