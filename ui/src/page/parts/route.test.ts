import { expect, test } from 'vitest';
import { parseRoute, routeTo } from './route';

test('an empty address is the overview', () => {
  expect(parseRoute('')).toMatchObject({ view: 'overview', name: undefined });
});

test('a name with special characters survives the address', () => {
  const route = parseRoute(routeTo('volumes', 'a/b?c#d%', { filter: 'x&y' }));
  expect(route).toMatchObject({ view: 'volumes', name: 'a/b?c#d%' });
  expect(route.parameters.get('filter')).toBe('x&y');
});

test('a damaged address does not throw', () => {
  expect(parseRoute('#/volumes/%zz')).toMatchObject({ view: 'volumes', name: '%zz' });
});
