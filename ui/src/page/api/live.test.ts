import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connection } from './connection';
import { LiveList } from './live';

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

  send(type: string, object: object): void {
    this.text(`${JSON.stringify({ type, object })}\n`);
  }

  cut(): void {
    this.controller?.error(new TypeError('network error'));
  }
}

const requests: URL[] = [];
let answers: ((address: URL) => Response | Promise<Response>)[] = [];
let leave: (() => void) | undefined;

beforeEach(() => {
  requests.length = 0;
  vi.stubGlobal('fetch', (path: string) => {
    const address = new URL(path, 'https://node/page/');
    if (address.pathname === '/livez') {
      return Promise.resolve(new Response('ok'));
    }
    requests.push(address);
    const answer = answers.shift();
    return answer ? Promise.resolve(answer(address)) : new Promise(() => undefined);
  });
});

afterEach(() => {
  leave?.();
  vi.unstubAllGlobals();
});

function follow() {
  const live = new LiveList('volumes');
  leave = live.subscribe(() => undefined);
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
  expect(requests[1]?.searchParams.get('resourceVersion')).toBe('7');
});

test('a change that arrives in pieces counts when it is whole', async () => {
  const watch = new Watch();
  answers = [() => listAnswer('1'), () => watch.response];
  const { names } = follow();
  const line = `${JSON.stringify({ type: 'ADDED', object: item('ü', '2') })}\n`;
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
  expect(requests[2]?.searchParams.get('resourceVersion')).toBe('41');
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
  expect(requests[2]?.searchParams.has('watch')).toBe(false);
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
  leave?.();
  leave = undefined;
  expect(connection.isCut()).toBe(false);
});
