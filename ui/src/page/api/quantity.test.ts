import { expect, test } from 'vitest';
import { ageText, bytesOf, sizeText, timeLeftText } from './quantity';

test.each([
  ['0', 0],
  ['1Gi', 2 ** 30],
  ['264212084Ki', 264212084 * 1024],
  ['1.5G', 1.5e9],
])('bytesOf reads %s', (text, bytes) => {
  expect(bytesOf(text)).toBe(bytes);
});

test.each(['', '1 Gi', '-1', 'Gi', '1gi', '1e3'])('bytesOf refuses "%s"', (text) => {
  expect(bytesOf(text)).toBeUndefined();
});

test.each([
  [0, '0'],
  [1023, '1023'],
  [2 ** 30, '1Gi'],
  [1.5 * 2 ** 30, '1.5Gi'],
  [2 ** 20 * 1000, '1000Mi'],
])('sizeText shortens %d', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

test.each([
  [7, '7s'],
  [119, '119s'],
  [120, '2m'],
  [7200, '2h'],
  [48 * 3600, '2d'],
])('ageText shows %d seconds', (seconds, text) => {
  expect(ageText('2026-01-01T00:00:00Z', Date.parse('2026-01-01T00:00:00Z') + seconds * 1000)).toBe(text);
});

test.each([
  ['2026-01-02T00:00:00Z', '24h'],
  ['2026-01-01T00:00:30Z', '30s'],
  ['2025-12-31T00:00:00Z', '0s'],
  [undefined, ''],
])('timeLeftText shows the time until %s', (until, text) => {
  expect(timeLeftText(until, Date.parse('2026-01-01T00:00:00Z'))).toBe(text);
});
