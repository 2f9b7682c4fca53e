// Upgrades in the reports of nodes, and requests to a node. `holdfast upgrade` sends the same requests.
import { patch } from '../api/client';
import type { HoldfastNode } from '../api/types';

const REQUEST = 'upgrade.holdfast.dev/request';
const REPORT = 'upgrade.holdfast.dev/report';
const OPEN = ['RUNNING', 'RESTARTING', 'VERIFYING', 'REVERTING'];

export interface UpgradeStep {
  bundle: string;
  way: string;
  /** Effect on clients in words. */
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

/** Returns the last upgrades of a node, newest first. An unreadable report yields none. */
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

/** Returns the number of completed steps, for example 3 of 7. */
export function progressOf({ steps }: Upgrade): { done: number; all: number; running: string } {
  return {
    done: steps.filter(({ state }) => state === 'DONE').length,
    all: steps.length,
    running: steps.find(({ state }) => state === 'RUNNING')?.bundle ?? '',
  };
}

/** Sends a request to one node. The node's report contains the outcome. */
export function askNode(node: string, action: Action, source: string, restart: boolean): Promise<unknown> {
  const request = JSON.stringify({ id: crypto.randomUUID(), action, source, restart });
  return patch('nodes', node, { metadata: { annotations: { [REQUEST]: request } } });
}
