// Upgrades of nodes as the nodes report them, and requests to a node, as `holdfast upgrade` sends them.
import { patch } from '../api/client';
import type { HoldfastNode } from '../api/types';

const REQUEST = 'upgrade.holdfast.dev/request';
const REPORT = 'upgrade.holdfast.dev/report';
const OPEN = ['RUNNING', 'RESTARTING', 'VERIFYING', 'REVERTING'];

export interface UpgradeStep {
  bundle: string;
  way: string;
  /** What clients notice, in words. */
  pause: string;
  versionBefore: string;
  version: string;
  state: string;
}

export interface Upgrade {
  id: string;
  source: string;
  state: string;
  started: string;
  ended: string;
  reason: string;
  steps: UpgradeStep[];
}

export interface NodeUpgrade extends Upgrade {
  node: string;
}

export type Action = 'PLAN' | 'APPLY' | 'ROLLBACK';

/** Returns the last upgrades of a node, newest first; a report that cannot be read has none. */
export function upgradesOf(node: HoldfastNode): NodeUpgrade[] {
  try {
    const report = JSON.parse(node.metadata.annotations?.[REPORT] ?? '[]') as Upgrade[];
    return report.map((upgrade) => ({ ...upgrade, node: node.metadata.name })).reverse();
  } catch {
    return [];
  }
}

export function hasEnded({ state }: Upgrade): boolean {
  return !OPEN.includes(state);
}

/** Returns how many steps are done, for example 3 of 7. */
export function progressOf({ steps }: Upgrade): { done: number; all: number; running: string } {
  return {
    done: steps.filter(({ state }) => state === 'DONE').length,
    all: steps.length,
    running: steps.find(({ state }) => state === 'RUNNING')?.bundle ?? '',
  };
}

/** Asks one node; its report tells what comes of it. */
export function askNode(node: string, action: Action, source: string, restart: boolean): Promise<unknown> {
  const request = JSON.stringify({ id: crypto.randomUUID(), action, source, restart });
  return patch('nodes', node, { metadata: { annotations: { [REQUEST]: request } } });
}
