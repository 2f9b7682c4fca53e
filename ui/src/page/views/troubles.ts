import type { HoldfastNode, Volume } from '../api/types';
import { routeTo } from '../parts/route';
import { problems } from './why';

export interface TroubleEntry {
  key: string;
  name: string;
  address: string;
  message: string;
}

/** Returns the faults for an administrator, with the messages of the controllers. */
export function troubles(volumes: Volume[], nodes: HoldfastNode[]): TroubleEntry[] {
  const found: TroubleEntry[] = [];
  for (const volume of volumes) {
    const { name } = volume.metadata;
    const complaints = problems(volume);
    if (complaints.length > 0 || ['degraded', 'faulted'].includes(volume.status.robustness)) {
      const message = complaints.map(({ message: words, reason }) => words || reason).join(' ') || volume.status.robustness;
      found.push({ key: `volume/${name}`, name, address: routeTo('volumes', name), message });
    }
  }
  for (const node of nodes) {
    const { name } = node.metadata;
    // A lost node cannot report its fault; its readiness is unknown.
    const conditions = [
      ...node.status.conditions.filter(({ type, status }) => type === 'Ready' && status !== 'True'),
      ...Object.values(node.status.diskStatus).flatMap((disk) => disk.conditions.filter(({ status }) => status === 'False')),
    ];
    conditions.forEach(({ type, reason, message }, index) =>
      found.push({ key: `node/${name}/${index}/${type}`, name, address: routeTo('nodes'), message: message || reason }),
    );
  }
  return found;
}
