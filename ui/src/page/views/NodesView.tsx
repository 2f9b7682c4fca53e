import { useState } from 'react';
import { patch } from '../api/client';
import { useLive } from '../api/live';
import { ageText, shortSize } from '../api/quantity';
import type { Condition, HoldfastNode } from '../api/types';
import { Actions } from '../parts/Actions';
import { useNow } from '../parts/clock';
import { Dialog } from '../parts/Dialog';
import { Rows, type Column } from '../parts/Rows';
import { Part, View } from '../parts/View';
import { useText, type TextFunction } from '../text/text';

interface Wanted {
  node: string;
  /** Empty for the whole node. */
  disk: string;
  allow: boolean;
}

function readiness(conditions: Condition[], text: TextFunction): string {
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? text('state.ready') : `${text('state.notReady')}: ${ready?.message || ready?.reason || ''}`;
}

function Disks({ node, canWrite, change }: { node: HoldfastNode; canWrite: boolean; change: (wanted: Wanted) => void }) {
  const text = useText();
  const rows = Object.entries(node.spec.disks).map(([id, spec]) => ({ id, spec, status: node.status.diskStatus[id] }));
  type Row = (typeof rows)[number];
  const columns: Column<Row>[] = [
    { title: text('column.disk'), cell: ({ id }) => id },
    { title: text('column.path'), cell: ({ spec }) => spec.path },
    { title: text('column.state'), cell: ({ status }) => readiness(status?.conditions ?? [], text) },
    { title: text('column.scheduling'), cell: ({ spec }) => text(spec.allowScheduling ? 'state.enabled' : 'state.disabled') },
    { title: text('column.free'), cell: ({ status }) => shortSize(status?.storageAvailable) },
    { title: text('column.size'), cell: ({ status }) => shortSize(status?.storageMaximum) },
    { title: text('column.reserved'), cell: ({ spec }) => shortSize(spec.storageReserved) },
  ];
  const { name } = node.metadata;
  return (
    <Part title={text('node.disks', { name })}>
      <Rows
        label={text('node.disks', { name })}
        rows={rows}
        columns={columns}
        keyOf={({ id }) => id}
        {...(canWrite && {
          actions: ({ id, spec }: Row) => (
            <Actions
              label={text('table.actions', { name: id })}
              actions={[
                {
                  label: text(spec.allowScheduling ? 'node.cordon' : 'node.uncordon'),
                  run: () => change({ node: name, disk: id, allow: !spec.allowScheduling }),
                },
              ]}
            />
          ),
        })}
      />
    </Part>
  );
}

/** Nodes with their disks. */
export default function NodesView({ canWrite }: { canWrite: boolean }) {
  const text = useText();
  const now = useNow();
  const { items, error } = useLive('nodes');
  const [wanted, setWanted] = useState<Wanted>();
  const columns: Column<HoldfastNode>[] = [
    { title: text('column.name'), cell: ({ metadata }) => metadata.name },
    { title: text('column.state'), cell: ({ status }) => readiness(status.conditions, text) },
    { title: text('column.scheduling'), cell: ({ spec }) => text(spec.allowScheduling ? 'state.enabled' : 'state.disabled') },
    { title: text('column.address'), cell: ({ status }) => status.address },
    { title: text('column.version'), cell: ({ status }) => status.version },
    { title: text('column.engine'), cell: ({ status }) => status.engines.join(', ') },
    { title: text('column.age'), cell: ({ metadata }) => ageText(metadata.creationTimestamp, now) },
  ];

  function act({ node, disk, allow }: Wanted): Promise<unknown> {
    const change = { allowScheduling: allow };
    return patch('nodes', node, { spec: disk ? { disks: { [disk]: change } } : change });
  }

  return (
    <View title={text('nav.nodes')}>
      <Rows
        label={text('nav.nodes')}
        rows={items}
        error={error}
        columns={columns}
        keyOf={({ metadata }) => metadata.name}
        {...(canWrite && {
          actions: ({ metadata, spec }: HoldfastNode) => (
            <Actions
              label={text('table.actions', { name: metadata.name })}
              actions={[
                {
                  label: text(spec.allowScheduling ? 'node.cordon' : 'node.uncordon'),
                  run: () => setWanted({ node: metadata.name, disk: '', allow: !spec.allowScheduling }),
                },
              ]}
            />
          ),
        })}
      />
      {items?.map((node) => <Disks key={node.metadata.name} node={node} canWrite={canWrite} change={setWanted} />)}
      {wanted && (
        <Dialog
          title={
            wanted.allow
              ? `${text('node.uncordon')}: ${wanted.disk || wanted.node}`
              : text('node.cordonTitle', { name: wanted.disk || wanted.node })
          }
          submit={text(wanted.allow ? 'node.uncordon' : 'node.cordon')}
          close={() => setWanted(undefined)}
          act={() => act(wanted)}
        />
      )}
    </View>
  );
}
