import { afterEach, expect, test, vi } from 'vitest';
import { ApiError } from './client';
import { currentSession } from './session';

/** Simulates a node with the session of an administrator and this answer about the rights. */
function answerAboutRights(status: number, body: object): void {
  const answer = (code: number, content: object) => Promise.resolve(new Response(JSON.stringify(content), { status: code }));
  vi.stubGlobal('fetch', (path: string) => (path === 'v1/session' ? answer(200, { role: 'admin' }) : answer(status, body)));
}

const rights = (...verbs: string[]) => ({ status: { resourceRules: [{ verbs }] } });

afterEach(() => vi.unstubAllGlobals());

test('a user who may change resources has the role of the session', async () => {
  answerAboutRights(201, rights('get', 'patch'));
  expect(await currentSession()).toEqual({ role: 'admin' });
});

test('a user who only reads has the role view', async () => {
  answerAboutRights(201, rights('get', 'list'));
  expect(await currentSession()).toEqual({ role: 'view' });
});

test('a node of an earlier version, which does not know the question, decides by the role of the session', async () => {
  answerAboutRights(404, { kind: 'Status', reason: 'NotFound', message: 'not found' });
  expect(await currentSession()).toEqual({ role: 'admin' });
});

test('another failure of the question is told', async () => {
  answerAboutRights(500, { kind: 'Status', reason: 'InternalError', message: 'the store is away' });
  await expect(currentSession()).rejects.toThrow(ApiError);
});
