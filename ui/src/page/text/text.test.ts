import { expect, test } from 'vitest';
import { de } from './de';
import { en, type TextKey } from './en';

const keys = Object.keys(en) as TextKey[];

function values(text: string): string[] {
  return [...text.matchAll(/\{(\w+)(?=[,}])/g)].map((match) => match[1] ?? '').sort();
}

test('both languages have the same keys', () => {
  expect(Object.keys(de).sort()).toEqual([...keys].sort());
});

test.each(keys)('%s has the same values in both languages', (key) => {
  expect(values(de[key])).toEqual(values(en[key]));
  expect(de[key]).not.toBe('');
});
