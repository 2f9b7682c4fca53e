import { expect, test } from 'vitest';
import { hashOf, newToken, tokenText } from './tokenSecret';

test('a token is that of TokenSecret for the same random bytes', async () => {
  const token = tokenText(Uint8Array.from({ length: 32 }, (_, index) => index * 7));
  expect(token).toBe('hf_AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK-2vcTL0tk250f7950');
  expect(await hashOf(token)).toBe('10029f1e9256848673bb7e920c5ebf758da2aaad4a481d67a07b2cd27cb23d87');
});

test('tokens differ', () => {
  expect(newToken()).not.toBe(newToken());
  expect(newToken()).toMatch(/^hf_[A-Za-z0-9_-]{43}[0-9a-f]{8}$/);
});
