import { afterEach, expect, test, vi } from 'vitest';
import { mayChange } from './rights';

function answer(...rules: { verbs: string[] }[]): void {
  vi.stubGlobal('fetch', vi.fn().mockResolvedValue(new Response(JSON.stringify({ status: { resourceRules: rules } }), { status: 201 })));
}

afterEach(() => vi.unstubAllGlobals());

test('a user of the role view changes nothing', async () => {
  answer({ verbs: ['get', 'list', 'watch'] });
  expect(await mayChange()).toBe(false);
});

test('a user without rights changes nothing', async () => {
  answer();
  expect(await mayChange()).toBe(false);
});

test('a user who may change one kind has actions', async () => {
  answer({ verbs: ['get', 'list', 'watch'] }, { verbs: ['patch'] });
  expect(await mayChange()).toBe(true);
});

test('an administrator has actions', async () => {
  answer({ verbs: ['*'] });
  expect(await mayChange()).toBe(true);
});
