import { Alert, List, ListItem, Progress } from '@patternfly/react-core';
import { useLive } from '../api/live';
import { bytesOf, sizeText } from '../api/quantity';
import type { HoldfastNode } from '../api/types';
import { Cards } from '../contributions/Contributed';
import { Part, View } from '../parts/View';
import { useText, type TextFunction } from '../text/text';
import { DeletedSpace } from './DeletedSpace';
import { EventRows } from './EventRows';
import { troubles, type TroubleEntry } from './troubles';

interface Filesystem {
  name: string;
  total: number;
  used: number;
}

/** Returns the capacity of each file system once, even with several disks on it. */
export function filesystems(nodes: HoldfastNode[]): Filesystem[] {
  const found = new Map<string, Filesystem>();
  for (const node of nodes) {
    for (const disk of Object.values(node.status.diskStatus)) {
      const name = `${node.metadata.name}: ${disk.filesystem || disk.path}`;
      const total = bytesOf(disk.storageMaximum) ?? 0;
      found.set(name, { name, total, used: total - (bytesOf(disk.storageAvailable) ?? 0) });
    }
  }
  return [...found.values()];
}

function Health({ entries, volumes, nodes, text }: { entries: TroubleEntry[]; volumes: number; nodes: number; text: TextFunction }) {
  const healthy = entries.length === 0;
  return (
    <Alert
      variant={healthy ? 'success' : 'warning'}
      isInline
      component="p"
      title={healthy ? text('overview.healthy', { volumes, nodes }) : text('overview.trouble', { count: entries.length })}
    />
  );
}

/** The state of the cluster on one screen. */
export function Overview() {
  const text = useText();
  const { items: volumes } = useLive('volumes');
  const { items: nodes } = useLive('nodes');
  const entries = volumes && nodes ? troubles(volumes, nodes) : [];
  return (
    <View title={text('nav.overview')}>
      {volumes && nodes && <Health entries={entries} volumes={volumes.length} nodes={nodes.length} text={text} />}
      {entries.length > 0 && (
        <Part title={text('overview.troubles')}>
          <List>
            {entries.map(({ key, name, address, message }) => (
              <ListItem key={key}>
                <a href={address}>{name}</a>: {message}
              </ListItem>
            ))}
          </List>
        </Part>
      )}
      <Part title={text('overview.capacity')}>
        {filesystems(nodes ?? []).map(({ name, total, used }) => (
          <Progress
            key={name}
            title={text('overview.capacityText', { used: sizeText(used), total: sizeText(total), filesystem: name })}
            value={total > 0 ? Math.round((100 * used) / total) : 0}
          />
        ))}
      </Part>
      <DeletedSpace />
      <Cards />
      <Part title={text('overview.events')}>
        <EventRows warningsOnly most={10} />
      </Part>
    </View>
  );
}
