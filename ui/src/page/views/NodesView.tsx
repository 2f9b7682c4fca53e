import { useState } from 'react';
import { patch } from '../api/client';
import { useLive } from '../api/live';
import { ageText, shortSize } from '../api/quantity';
import type { Condition, HoldfastNode, Volume } from '../api/types';
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
  change: Change;
}

type Replica = Volume['status']['replicas'][number];

type Scheduling = Pick<HoldfastNode['spec'], 'allowScheduling' | 'evictionRequested'>;

/** Fields that each action sets on a node or a disk. After the end of a drain, the disk or node stays cordoned. */
const CHANGES = {
  cordon: { allowScheduling: false },
  uncordon: { allowScheduling: true, evictionRequested: false },
  drain: { allowScheduling: false, evictionRequested: true },
  undrain: { evictionRequested: false },
} satisfies Record<string, Partial<Scheduling>>;

type Change = keyof typeof CHANGES;

function changesOf({ allowScheduling, evictionRequested }: Scheduling): Change[] {
  return [allowScheduling ? 'cordon' : 'uncordon', evictionRequested ? 'undrain' : 'drain'];
}

function schedulingText({ allowScheduling, evictionRequested }: Scheduling, left: number, text: TextFunction): string {
  if (evictionRequested) {
    return text('node.draining', { count: left });
  }
  return text(allowScheduling ? 'state.enabled' : 'state.disabled');
}

function readiness(conditions: Condition[], text: TextFunction): string {
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? text('state.ready') : `${text('state.notReady')}: ${ready?.message || ready?.reason || ''}`;
}

/** Returns whether a replica is on a disk. A replica on a shared disk names no node. */
function isOn(replica: Replica, node: HoldfastNode, disk: string, diskUUID = ''): boolean {
  return replica.nodeID === '' ? replica.diskUUID === diskUUID : replica.nodeID === node.metadata.name && replica.diskID === disk;
}

interface DisksProps {
  node: HoldfastNode;
  replicas: Replica[];
  canWrite: boolean;
  change: (wanted: Wanted) => void;
}

function Disks({ node, replicas, canWrite, change }: DisksProps) {
  const text = useText();
  const rows = Object.entries(node.spec.disks).map(([id, spec]) => ({ id, spec, status: node.status.diskStatus[id] }));
  type Row = (typeof rows)[number];
  const columns: Column<Row>[] = [
    { title: text('column.disk'), cell: ({ id }) => id },
    { title: text('column.path'), cell: ({ spec }) => spec.path },
    { title: text('column.state'), cell: ({ status }) => readiness(status?.conditions ?? [], text) },
    {
      title: text('column.scheduling'),
      cell: ({ id, spec, status }) => schedulingText(spec, replicas.filter((each) => isOn(each, node, id, status?.diskUUID)).length, text),
    },
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
              actions={changesOf(spec).map((each) => ({
                label: text(`node.${each}`),
                run: () => change({ node: name, disk: id, change: each }),
              }))}
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
  const { items: volumes } = useLive('volumes');
  const replicas = volumes?.flatMap(({ status }) => status.replicas) ?? [];
  const [wanted, setWanted] = useState<Wanted>();
  const columns: Column<HoldfastNode>[] = [
    { title: text('column.name'), cell: ({ metadata }) => metadata.name },
    { title: text('column.state'), cell: ({ status }) => readiness(status.conditions, text) },
    {
      title: text('column.scheduling'),
      cell: ({ metadata, spec }) => schedulingText(spec, replicas.filter(({ nodeID }) => nodeID === metadata.name).length, text),
    },
    { title: text('column.address'), cell: ({ status }) => status.address },
    { title: text('column.version'), cell: ({ status }) => status.version },
    { title: text('column.engine'), cell: ({ status }) => status.engines.join(', ') },
    { title: text('column.age'), cell: ({ metadata }) => ageText(metadata.creationTimestamp, now) },
  ];

  function act({ node, disk, change }: Wanted): Promise<unknown> {
    const spec = CHANGES[change];
    return patch('nodes', node, { spec: disk ? { disks: { [disk]: spec } } : spec });
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
              actions={changesOf(spec).map((change) => ({
                label: text(`node.${change}`),
                run: () => setWanted({ node: metadata.name, disk: '', change }),
              }))}
            />
          ),
        })}
      />
      {items?.map((node) => <Disks key={node.metadata.name} node={node} replicas={replicas} canWrite={canWrite} change={setWanted} />)}
      {wanted && (
        <Dialog
          title={text(`node.${wanted.change}Title`, { name: wanted.disk || wanted.node })}
          submit={text(`node.${wanted.change}`)}
          close={() => setWanted(undefined)}
          act={() => act(wanted)}
        />
      )}
    </View>
  );
}
