import { Button, SearchInput } from '@patternfly/react-core';
import { useState } from 'react';
import { useLive } from '../api/live';
import { ageText } from '../api/quantity';
import type { Volume } from '../api/types';
import { useContributedColumns } from '../contributions/columns';
import { lazyPart } from '../parts/lazyPart';
import { Actions } from '../parts/Actions';
import { useNow } from '../parts/clock';
import { routeTo, setParameter, useRoute } from '../parts/route';
import { Rows, type Column } from '../parts/Rows';
import { toggled } from '../parts/selection';
import { StateLabel } from '../parts/StateLabel';
import { View } from '../parts/View';
import { useText } from '../text/text';
import { BulkVolumes } from './BulkVolumes';
import { DeletedVolumes } from './DeletedVolumes';
import { useVolumeActions } from './volumeActions';
import { CreateVolume } from './VolumeDialogs';
import { why } from './why';

const VolumeView = lazyPart(() => import('./VolumeView'));

function stateOf(volume: Volume): string {
  return volume.metadata.deletionTimestamp ? 'deleting' : volume.status.state;
}

function VolumeList({ canWrite }: { canWrite: boolean }) {
  const text = useText();
  const now = useNow();
  const route = useRoute();
  const { items, error } = useLive('volumes');
  const { items: attachments } = useLive('volumeattachments');
  const [creating, setCreating] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { actionsOf, dialog } = useVolumeActions(text);
  const filter = route.parameters.get('filter') ?? '';
  const attachmentOf = (volume: Volume) => attachments?.find((each) => each.metadata.name === volume.metadata.name);

  const columns: Column<Volume>[] = [
    { title: text('column.name'), cell: ({ metadata }) => <a href={routeTo('volumes', metadata.name)}>{metadata.name}</a> },
    { title: text('column.size'), cell: ({ spec }) => spec.size },
    { title: text('column.state'), cell: (volume) => <StateLabel state={stateOf(volume)} /> },
    { title: text('column.robustness'), cell: ({ status }) => <StateLabel state={status.robustness} /> },
    { title: text('column.node'), cell: ({ status }) => status.currentNodeID },
    {
      title: text('column.replicas'),
      cell: ({ spec, status }) => `${status.replicas.filter(({ mode }) => mode === 'RW').length}/${spec.numberOfReplicas}`,
    },
    { title: text('column.why'), cell: (volume) => why(volume, attachmentOf(volume), text) },
    { title: text('column.age'), cell: ({ metadata }) => ageText(metadata.creationTimestamp, now) },
    ...useContributedColumns<Volume>('volumes'),
  ];
  const shown = items?.filter(({ metadata }) => metadata.name.includes(filter));

  return (
    <View title={text('nav.volumes')} actions={canWrite && <Button onClick={() => setCreating(true)}>{text('volumes.create')}</Button>}>
      <SearchInput
        className="holdfast-toolbar"
        aria-label={text('table.filter')}
        placeholder={text('table.filter')}
        value={filter}
        onChange={(_event, value) => setParameter(route, 'filter', value)}
        onClear={() => setParameter(route, 'filter', '')}
      />
      {canWrite && (
        <BulkVolumes chosen={shown?.filter(({ metadata }) => selected.has(metadata.name)) ?? []} attachmentOf={attachmentOf} />
      )}
      <Rows
        label={text('nav.volumes')}
        rows={shown}
        error={error}
        columns={columns}
        keyOf={({ metadata }) => metadata.name}
        {...(canWrite && {
          actions: (volume: Volume) => (
            <Actions label={text('table.actions', { name: volume.metadata.name })} actions={actionsOf(volume, attachmentOf(volume))} />
          ),
          selection: {
            isSelected: ({ metadata }: Volume) => selected.has(metadata.name),
            select: ({ metadata }: Volume, on: boolean) => setSelected(toggled(selected, metadata.name, on)),
          },
        })}
      />
      <DeletedVolumes isShown={(name) => name.includes(filter)} canWrite={canWrite} many />
      {creating && <CreateVolume close={() => setCreating(false)} />}
      {dialog}
    </View>
  );
}

export function VolumesView({ name, canWrite }: { name: string | undefined; canWrite: boolean }) {
  return name ? <VolumeView name={name} canWrite={canWrite} /> : <VolumeList canWrite={canWrite} />;
}
