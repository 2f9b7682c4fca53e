import { useState } from 'react';
import { useLive } from '../api/live';
import { ageText, shortSize, timeLeftText } from '../api/quantity';
import type { DeletedVolume } from '../api/types';
import { Actions } from '../parts/Actions';
import { useNow } from '../parts/clock';
import { Dialog, TypedNameDialog } from '../parts/Dialog';
import { Rows, type Column } from '../parts/Rows';
import { toggled } from '../parts/selection';
import { StateLabel } from '../parts/StateLabel';
import { Part } from '../parts/View';
import { useText } from '../text/text';
import { BulkDeletedVolumes } from './BulkDeletedVolumes';
import { isBeingPurged, purge, undelete, whyNotPurge, whyNotUndelete } from './deletions';

interface Props {
  /** Whether a volume with this name is shown. */
  isShown: (name: string) => boolean;
  canWrite: boolean;
  /** Whether the user can choose several rows. */
  many?: boolean;
}

/** The uid, so that a selection does not apply to a later deleted volume of the same name. */
const keyOf = ({ metadata }: DeletedVolume) => metadata.uid ?? metadata.name;

/** Deleted volumes whose content is kept. Shows nothing if none exist or the user may not read them. */
export function DeletedVolumes({ isShown, canWrite, many = false }: Props) {
  const text = useText();
  const now = useNow();
  const { items, error } = useLive('deletedvolumes');
  const { items: volumes } = useLive('volumes');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [undeleting, setUndeleting] = useState<DeletedVolume>();
  const [purging, setPurging] = useState<DeletedVolume>();
  const shown = error ? [] : (items ?? []).filter(({ metadata }) => isShown(metadata.name));

  const columns: Column<DeletedVolume>[] = [
    { title: text('column.name'), cell: ({ metadata }) => metadata.name },
    { title: text('column.size'), cell: ({ spec }) => spec.volumeSpec.size },
    { title: text('volume.used'), cell: ({ spec }) => shortSize(spec.actualSize) },
    { title: text('column.state'), cell: ({ status }) => <StateLabel state={status.state} /> },
    { title: text('deleted.age'), cell: ({ spec }) => ageText(spec.deletedAt, now) },
    {
      title: text('deleted.left'),
      cell: (deleted) => (
        <time dateTime={deleted.spec.purgeAt} title={deleted.spec.purgeAt}>
          {isBeingPurged(deleted) ? text('deleted.isPurged') : timeLeftText(deleted.spec.purgeAt, now)}
        </time>
      ),
    },
    { title: text('column.message'), cell: ({ status }) => status.message },
  ];
  const actionsOf = (deleted: DeletedVolume) => [
    {
      label: text('deleted.undelete'),
      disabled: whyNotUndelete(deleted, volumes ?? [], text),
      run: () => setUndeleting(deleted),
    },
    { label: text('deleted.purge'), danger: true, disabled: whyNotPurge(deleted, text), run: () => setPurging(deleted) },
  ];
  const table = shown.length > 0 && (
    <Part title={text('deleted.title')}>
      <p>{text('deleted.help')}</p>
      {canWrite && many && (
        <BulkDeletedVolumes chosen={shown.filter((deleted) => selected.has(keyOf(deleted)))} volumes={volumes ?? []} />
      )}
      <Rows
        label={text('deleted.title')}
        rows={shown}
        columns={columns}
        keyOf={({ metadata }) => metadata.name}
        {...(canWrite && {
          actions: (deleted: DeletedVolume) => (
            <Actions label={text('table.actions', { name: deleted.metadata.name })} actions={actionsOf(deleted)} />
          ),
          ...(many && {
            selection: {
              isSelected: (deleted: DeletedVolume) => selected.has(keyOf(deleted)),
              select: (deleted: DeletedVolume, on: boolean) => setSelected(toggled(selected, keyOf(deleted), on)),
            },
          }),
        })}
      />
    </Part>
  );
  return (
    <>
      {table}
      {undeleting && (
        <Dialog
          title={text('deleted.undeleteTitle', { name: undeleting.metadata.name })}
          submit={text('deleted.undelete')}
          close={() => setUndeleting(undefined)}
          act={() => undelete(undeleting, text)}
        >
          <p>{text('deleted.undeleteHelp')}</p>
        </Dialog>
      )}
      {purging && (
        <TypedNameDialog
          title={text('deleted.purgeTitle', { name: purging.metadata.name })}
          name={purging.metadata.name}
          submit={text('deleted.purge')}
          close={() => setPurging(undefined)}
          act={() => purge(purging)}
        />
      )}
    </>
  );
}
