import { expect, test } from 'vitest';
import type { HoldfastNode } from '../api/types';
import { troubles } from './troubles';

function node(name: string, ready: string, disk = 'True'): HoldfastNode {
  const conditions = [{ type: 'Ready', status: ready, reason: 'R', message: `message of ${name}` }];
  const diskConditions = [{ type: 'Ready', status: disk, reason: 'DiskFailed', message: '' }];
  return { metadata: { name }, spec: {}, status: { conditions, diskStatus: { 'disk-1': { conditions: diskConditions } } } } as never;
}

const told = (...nodes: HoldfastNode[]): string[] => troubles([], nodes).map(({ name, message }) => `${name}: ${message}`);

test('a node that is lost needs attention', () => {
  expect(told(node('node-1', 'True'), node('node-2', 'Unknown'))).toEqual(['node-2: message of node-2']);
});

test('a node that says it is not ready needs attention', () => {
  expect(told(node('node-1', 'False'))).toEqual(['node-1: message of node-1']);
});

test('a disk that failed needs attention', () => {
  expect(told(node('node-1', 'True', 'False'))).toEqual(['node-1: DiskFailed']);
});

test('nodes that are ready need no attention', () => {
  expect(told(node('node-1', 'True'))).toEqual([]);
});
