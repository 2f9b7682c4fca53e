import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connection } from './connection';
import { LiveList } from './live';
import type { Plural } from './types';

const encoder = new TextEncoder();

function item(name: string, version: string) {
  return { metadata: { name, resourceVersion: version }, spec: {}, status: {} };
}

function listAnswer(version: string, ...names: string[]) {
  return Response.json({ metadata: { resourceVersion: version }, items: names.map((name) => item(name, version)) });
}

/** A watch whose changes the test sends. */
class Watch {
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly response = new Response(new ReadableStream<Uint8Array>({ start: (controller) => (this.controller = controller) }));

  text(text: string): void {
    this.controller?.enqueue(encoder.encode(text));
  }

  send(type: string, object: object, id = 'volumes'): void {
    this.text(`${JSON.stringify({ id, type, object })}\n`);
  }

  cut(): void {
    this.controller?.error(new TypeError('network error'));
  }
}

interface Entry {
  id: string;
  kind: string;
  resourceVersion: string;
}

interface Request {
  address: URL;
  /** Entries that a stream of changes requests. */
  entries: Entry[];
}

const requests: Request[] = [];
let answers: ((address: URL) => Response | Promise<Response>)[] = [];
const leaves: (() => void)[] = [];

beforeEach(() => {
  requests.length = 0;
  vi.stubGlobal('fetch', (path: string, init?: RequestInit) => {
    const address = new URL(path, 'https://node/page/');
    if (address.pathname === '/livez') {
      return Promise.resolve(new Response('ok'));
    }
    requests.push({ address, entries: typeof init?.body === 'string' ? (JSON.parse(init.body) as Entry[]) : [] });
    const answer = answers.shift();
    return answer ? Promise.resolve(answer(address)) : new Promise(() => undefined);
  });
});

afterEach(async () => {
  leaves.splice(0).forEach((leave) => leave());
  await Promise.resolve();
  vi.unstubAllGlobals();
});

function follow(plural: Plural = 'volumes') {
  const live = new LiveList(plural);
  leaves.push(live.subscribe(() => undefined));
  const names = () => live.snapshot().items?.map(({ metadata }) => metadata.name);
  return { live, names };
}

test('a list is followed by a watch from its version', async () => {
  const watch = new Watch();
  answers = [() => listAnswer('7', 'b', 'a'), () => watch.response];
  const { names } = follow();
  await vi.waitFor(() => expect(names()).toEqual(['a', 'b']));
  watch.send('ADDED', item('c', '8'));
  watch.send('DELETED', item('a', '9'));
  await vi.waitFor(() => expect(names()).toEqual(['b', 'c']));
  expect(requests[1]?.address.pathname).toMatch(/\/watch$/);
  expect(requests[1]?.entries).toEqual([{ id: 'volumes', kind: 'volumes', resourceVersion: '7' }]);
});

test('a change that arrives in pieces counts when it is whole', async () => {
  const watch = new Watch();
  answers = [() => listAnswer('1'), () => watch.response];
  const { names } = follow();
  const line = `${JSON.stringify({ id: 'volumes', type: 'ADDED', object: item('ü', '2') })}\n`;
  await vi.waitFor(() => expect(requests).toHaveLength(2));
  watch.text(line.slice(0, 10));
  watch.text(`${line.slice(10)} \n`);
  await vi.waitFor(() => expect(names()).toEqual(['ü']));
});

test('a cut watch is told and resumes after the last version', async () => {
  const first = new Watch();
  const second = new Watch();
  answers = [() => listAnswer('1', 'a'), () => first.response, () => second.response];
  const { live, names } = follow();
  await vi.waitFor(() => expect(requests).toHaveLength(2));
  first.send('BOOKMARK', { metadata: { name: '', resourceVersion: '40' } });
  first.send('MODIFIED', item('a', '41'));
  await vi.waitFor(() => expect(live.snapshot().items?.[0]?.metadata.resourceVersion).toBe('41'));
  first.cut();
  await vi.waitFor(() => expect(connection.isCut()).toBe(true));
  await vi.waitFor(() => expect(requests).toHaveLength(3));
  expect(requests[2]?.entries[0]?.resourceVersion).toBe('41');
  second.send('ADDED', item('b', '42'));
  await vi.waitFor(() => expect(names()).toEqual(['a', 'b']));
  expect(connection.isCut()).toBe(false);
});

test('a version that the node no longer keeps leads to a new list', async () => {
  const watch = new Watch();
  answers = [() => listAnswer('1', 'old'), () => watch.response, () => listAnswer('90', 'new')];
  const { names } = follow();
  await vi.waitFor(() => expect(requests).toHaveLength(2));
  watch.send('ERROR', { code: 410, reason: 'Expired', message: 'list again' });
  await vi.waitFor(() => expect(names()).toEqual(['new']));
  expect(requests[2]?.address.pathname).toMatch(/\/volumes$/);
});

test('a refusal is shown with its words', async () => {
  answers = [() => Response.json({ message: 'not for you', reason: 'Forbidden' }, { status: 403 })];
  const { live } = follow();
  await vi.waitFor(() => expect(live.snapshot().error?.message).toBe('not for you'));
});

test('the watch ends when the last view leaves', async () => {
  answers = [() => listAnswer('1', 'a')];
  const { names } = follow();
  await vi.waitFor(() => expect(names()).toEqual(['a']));
  leaves.splice(0).forEach((leave) => leave());
  expect(connection.isCut()).toBe(false);
});

test('all lists of a view share one stream', async () => {
  const watch = new Watch();
  answers = [() => listAnswer('3', 'v'), () => listAnswer('5', 'n'), () => watch.response];
  const volumes = follow('volumes');
  const nodes = follow('nodes');
  await vi.waitFor(() => expect(requests).toHaveLength(3));
  expect(requests[2]?.entries.map(({ kind, resourceVersion }) => `${kind} ${resourceVersion}`)).toEqual(['volumes 3', 'nodes 5']);
  watch.send('ADDED', item('n2', '6'), 'nodes');
  await vi.waitFor(() => expect(nodes.names()).toEqual(['n', 'n2']));
  expect(volumes.names()).toEqual(['v']);
});

test('a list that joins later does not load the others again', async () => {
  const second = new Watch();
  answers = [() => listAnswer('3', 'v'), () => new Watch().response, () => listAnswer('5', 'n'), () => second.response];
  const volumes = follow('volumes');
  await vi.waitFor(() => expect(requests).toHaveLength(2));
  follow('nodes');
  await vi.waitFor(() => expect(requests).toHaveLength(4));
  second.send('DELETED', item('v', '8'), 'volumes');
  await vi.waitFor(() => expect(volumes.names()).toEqual([]));
  expect(requests.filter(({ address }) => address.pathname.endsWith('/volumes'))).toHaveLength(1);
});

test('a kind that may not be watched any more leaves the others', async () => {
  const watch = new Watch();
  answers = [() => listAnswer('3', 'v'), () => listAnswer('5', 'n'), () => watch.response];
  const volumes = follow('volumes');
  const nodes = follow('nodes');
  await vi.waitFor(() => expect(requests).toHaveLength(3));
  watch.send('ERROR', { code: 403, reason: 'Forbidden', message: 'not nodes' }, 'nodes');
  watch.send('ADDED', item('w', '6'), 'volumes');
  await vi.waitFor(() => expect(volumes.names()).toEqual(['v', 'w']));
  expect(nodes.live.snapshot().error?.message).toBe('not nodes');
});

test('a watch whose time is over begins again after its version', async () => {
  const watch = new Watch();
  answers = [() => listAnswer('3', 'v'), () => watch.response, () => new Watch().response];
  follow();
  await vi.waitFor(() => expect(requests).toHaveLength(2));
  watch.send('END', { metadata: { resourceVersion: '44' } });
  await vi.waitFor(() => expect(requests).toHaveLength(3));
  expect(requests[2]?.entries[0]?.resourceVersion).toBe('44');
});
