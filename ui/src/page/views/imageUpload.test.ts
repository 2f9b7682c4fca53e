import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeApi } from '../test/fakeApi';
import { awaitReceiver } from './imageUpload';

let api: FakeApi;

beforeEach(() => {
  vi.useFakeTimers();
  api = new FakeApi().install();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function file(state: string): void {
  api.put('backingimages', { metadata: { name: 'sent' }, status: { diskFileStatusMap: { d1: { state, progress: 0, message: '' } } } });
}

test('an upload begins once the first file is starting', async () => {
  file('pending');
  const ready = vi.fn();
  const waiting = awaitReceiver('sent', new AbortController().signal, 'late').then(ready);
  await vi.advanceTimersByTimeAsync(29_000);
  expect(ready).not.toHaveBeenCalled();
  file('starting');
  await vi.advanceTimersByTimeAsync(1_000);
  await waiting;
  expect(ready).toHaveBeenCalledOnce();
});

test('an upload gives up after 30 s', async () => {
  file('pending');
  const waiting = expect(awaitReceiver('sent', new AbortController().signal, 'the node was not ready')).rejects.toThrow('the node was not ready');
  await vi.advanceTimersByTimeAsync(31_000);
  await waiting;
});

test('an upload that broke off can be sent again', async () => {
  file('failed');
  await awaitReceiver('sent', new AbortController().signal, 'late');
});

test('an upload that is cancelled no longer waits', async () => {
  file('pending');
  const abort = new AbortController();
  const waiting = expect(awaitReceiver('sent', abort.signal, 'late')).rejects.toThrow('cancelled');
  abort.abort(new Error('cancelled'));
  await vi.advanceTimersByTimeAsync(1_000);
  await waiting;
});
