// An API in memory for component tests. It answers lists and changes, and streams the changes of a test.
import { vi } from 'vitest';
import { forget } from '../api/live';
import { KIND_NAMES, type Kinds, type Plural } from '../api/types';

interface Sent {
  method: string;
  plural: string;
  name: string | undefined;
  body: unknown;
}

type Stored = Kinds[Plural];

/** A resource with the fields that a test sets. */
type Part<T> = { [F in keyof T]?: T[F] extends object ? Part<T[F]> : T[F] };

function refusal(status: number, reason: string, message: string): Response {
  return Response.json({ kind: 'Status', code: status, reason, message }, { status });
}

export class FakeApi {
  /** Writes in their order. */
  readonly sent: Sent[] = [];
  /** The status of a new resource, by kind. */
  readonly newStatus: { [P in Plural]?: Part<Kinds[P]['status' & keyof Kinds[P]]> } = {};
  private readonly kinds = new Map<string, Map<string, Stored>>();
  private readonly streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  private readonly refused = new Map<string, [number, string, string]>();
  private version = 1;

  /** Replaces the server of the page. */
  install(): this {
    forget();
    vi.stubGlobal('fetch', (address: string, init: RequestInit = {}) => Promise.resolve(this.answer(address, init)));
    return this;
  }

  /** Adds or replaces a resource, like another client. */
  put<P extends Plural>(plural: P, resource: Part<Kinds[P]> & { metadata: { name: string } }): void {
    this.version++;
    const { name } = resource.metadata;
    const resources = this.kinds.get(plural) ?? new Map<string, Stored>();
    const type = resources.has(name) ? 'MODIFIED' : 'ADDED';
    const object = { ...resource, metadata: { generation: 1, ...resource.metadata, resourceVersion: String(this.version) } } as Stored;
    this.kinds.set(plural, resources.set(name, object));
    this.tell(plural, type, object);
  }

  get<P extends Plural>(plural: P, name: string): Kinds[P] | undefined {
    return this.kinds.get(plural)?.get(name) as Kinds[P] | undefined;
  }

  /** Refuses the next write of one method to a resource. */
  refuse(method: string, name: string, status: number, reason: string, message: string): void {
    this.refused.set(`${method} ${name}`, [status, reason, message]);
  }

  private tell(plural: Plural, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Stored): void {
    const line = new TextEncoder().encode(`${JSON.stringify({ id: plural, type, object })}\n`);
    this.streams.forEach((stream) => stream.enqueue(line));
  }

  private answer(address: string, { method = 'GET', body, signal }: RequestInit): Response {
    const [plural = '', name] = address.replace(/^.*\/v1\//, '').replace(/\?.*/, '').split('/').map(decodeURIComponent);
    if (plural === 'watch') {
      return new Response(this.stream(signal ?? undefined));
    }
    const resources = this.kinds.get(plural) ?? new Map<string, Stored>();
    if (method === 'GET' && name === undefined) {
      return Response.json({ metadata: { resourceVersion: String(this.version) }, items: [...resources.values()] });
    }
    const parsed = typeof body === 'string' ? (JSON.parse(body) as Part<Stored> & { metadata?: { name?: string } }) : undefined;
    const changed = name ?? parsed?.metadata?.name ?? '';
    return address.includes('dryRun=All')
      ? (this.refusalOf(method, changed) ?? Response.json({}))
      : this.single(method, plural as Plural, changed, parsed);
  }

  private refusalOf(method: string, name: string): Response | undefined {
    const refused = this.refused.get(`${method} ${name}`);
    this.refused.delete(`${method} ${name}`);
    return refused && refusal(...refused);
  }

  private single(method: string, plural: Plural, name: string, body: Part<Stored> | undefined): Response {
    const now = this.get(plural, name);
    if (method !== 'GET') {
      this.sent.push({ method, plural, name, body });
    }
    const refused = this.refusalOf(method, name);
    if (refused) {
      return refused;
    }
    if (!now && method !== 'POST') {
      return refusal(404, 'NotFound', `${KIND_NAMES[plural]} ${name} does not exist`);
    }
    if (method === 'DELETE' && now) {
      this.kinds.get(plural)?.delete(name);
      this.version++;
      this.tell(plural, 'DELETED', { ...now, metadata: { ...now.metadata, resourceVersion: String(this.version) } });
      return Response.json({});
    }
    if (method !== 'GET') {
      const generation = (now?.metadata.generation ?? 0) + 1;
      const { metadata, ...fields } = body as { metadata?: object; spec?: object };
      this.put(plural, {
        ...now,
        ...fields,
        metadata: { ...now?.metadata, ...metadata, name, generation },
        spec: { ...now?.spec, ...fields.spec },
        status: now && 'status' in now ? now.status : this.newStatus[plural],
      } as Stored);
    }
    return Response.json(this.get(plural, name));
  }

  private stream(signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
    let mine: ReadableStreamDefaultController<Uint8Array>;
    return new ReadableStream({
      start: (controller) => {
        mine = controller;
        this.streams.add(controller);
        signal?.addEventListener('abort', () => {
          this.streams.delete(controller);
          controller.error(signal.reason);
        });
      },
      cancel: () => {
        this.streams.delete(mine);
      },
    });
  }
}
