import { Button } from '@patternfly/react-core';
import { useState } from 'react';
import { create, remove } from '../api/client';
import { useLive } from '../api/live';
import { snapshotResource } from '../api/names';
import { ageText, shortSize } from '../api/quantity';
import type { Snapshot, Volume } from '../api/types';
import { Actions } from '../parts/Actions';
import { useNow } from '../parts/clock';
import { Dialog, TextField, TypedNameDialog } from '../parts/Dialog';
import { Rows, type Column } from '../parts/Rows';
import { Part } from '../parts/View';
import { useText } from '../text/text';
import { revert } from './actions';

function stamp(): string {
  return `s-${new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}`;
}

function CreateSnapshot({ volume, close }: { volume: string; close: () => void }) {
  const text = useText();
  const [name, setName] = useState(stamp);
  const act = () => create('snapshots', snapshotResource(volume, name), { volume, snapshotName: name });
  return (
    <Dialog title={text('snapshot.create')} submit={text('snapshot.create')} close={close} act={act}>
      {(refusal) => (
        <TextField label={text('snapshot.name')} value={name} change={setName} required problem={refusal?.about('spec.snapshotName')} />
      )}
    </Dialog>
  );
}

function RevertSnapshot({ volume, snapshot, close }: { volume: Volume; snapshot: Snapshot; close: () => void }) {
  const text = useText();
  const name = nameOf(snapshot);
  async function act(): Promise<void> {
    if (volume.status.state !== 'detached') {
      throw new Error(text('snapshot.notDetached', { state: volume.status.state }));
    }
    await revert(volume, snapshot, text('snapshot.timeout'));
  }
  return (
    <Dialog title={text('snapshot.revertTitle', { volume: volume.metadata.name, name })} submit={text('snapshot.revert')} danger close={close} act={act}>
      <p>{text('snapshot.revertHelp')}</p>
    </Dialog>
  );
}

function nameOf({ spec, metadata }: Snapshot): string {
  return spec.snapshotName || metadata.name;
}

/** The snapshots of a volume. */
export function Snapshots({ volume, canWrite }: { volume: Volume; canWrite: boolean }) {
  const text = useText();
  const now = useNow();
  const { items, error } = useLive('snapshots');
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<Snapshot>();
  const [reverting, setReverting] = useState<Snapshot>();
  const columns: Column<Snapshot>[] = [
    { title: text('column.name'), cell: nameOf },
    {
      title: text('column.state'),
      cell: ({ metadata, status }) => {
        const state = metadata.deletionTimestamp || status.markRemoved ? 'deleting' : status.readyToUse ? 'ready' : 'notReady';
        return text(`state.${state}`);
      },
    },
    { title: text('column.size'), cell: ({ status }) => shortSize(status.size) },
    { title: text('column.parent'), cell: ({ status }) => status.parent },
    { title: text('column.message'), cell: ({ status }) => status.error || status.message },
    { title: text('column.age'), cell: ({ status, metadata }) => ageText(status.creationTime ?? metadata.creationTimestamp, now) },
  ];
  return (
    <Part
      title={text('volume.snapshots')}
      actions={
        canWrite && (
          <Button variant="secondary" onClick={() => setCreating(true)}>
            {text('snapshot.create')}
          </Button>
        )
      }
    >
      <Rows
        label={text('volume.snapshots')}
        rows={items?.filter(({ spec }) => spec.volume === volume.metadata.name)}
        error={error}
        columns={columns}
        keyOf={({ metadata }) => metadata.name}
        {...(canWrite && {
          actions: (snapshot: Snapshot) => (
            <Actions
              label={text('table.actions', { name: nameOf(snapshot) })}
              actions={[
                { label: text('snapshot.revert'), run: () => setReverting(snapshot) },
                { label: text('snapshot.delete'), danger: true, run: () => setDeleting(snapshot) },
              ]}
            />
          ),
        })}
      />
      {creating && <CreateSnapshot volume={volume.metadata.name} close={() => setCreating(false)} />}
      {reverting && <RevertSnapshot volume={volume} snapshot={reverting} close={() => setReverting(undefined)} />}
      {deleting && (
        <TypedNameDialog
          title={text('snapshot.deleteTitle', { name: nameOf(deleting) })}
          name={nameOf(deleting)}
          submit={text('snapshot.delete')}
          close={() => setDeleting(undefined)}
          act={() => remove('snapshots', deleting.metadata.name, deleting.metadata.uid)}
        />
      )}
    </Part>
  );
}
