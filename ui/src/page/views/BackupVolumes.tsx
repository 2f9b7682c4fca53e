import { useState } from 'react';
import { useLive } from '../api/live';
import { ageText, shortSize } from '../api/quantity';
import type { Backup, BackupVolume } from '../api/types';
import { Actions } from '../parts/Actions';
import { useNow } from '../parts/clock';
import { TypedNameDialog } from '../parts/Dialog';
import { InfoDialog } from '../parts/InfoDialog';
import { Rows, type Column } from '../parts/Rows';
import { Part } from '../parts/View';
import { useText } from '../text/text';
import { backupVolumeOf } from './BackupDialogs';
import { removeAtTarget } from './removeAtTarget';

/** Returns the newest backup that a target reports; undefined while the cluster does not have its resource. */
export function newestOf(volume: BackupVolume, backups: Backup[]): Backup | undefined {
  const { lastBackupName } = volume.status;
  return backups.find(
    (backup) =>
      lastBackupName !== '' &&
      backupVolumeOf(backup, [volume]) !== undefined &&
      new URLSearchParams(backup.status.url.replace(/^[^?]*/, '')).get('backup') === lastBackupName,
  );
}

interface Props {
  backups: Backup[];
  canWrite: boolean;
  restore: (backup: Backup) => void;
}

/** The volumes that have backups, with the image of each. */
export function BackupVolumes({ backups, canWrite, restore }: Props) {
  const text = useText();
  const now = useNow();
  const { items, error } = useLive('backupvolumes');
  const [shown, setShown] = useState<BackupVolume>();
  const [deleting, setDeleting] = useState<BackupVolume>();
  const columns: Column<BackupVolume>[] = [
    { title: text('column.name'), cell: ({ spec }) => spec.volumeName },
    { title: text('column.target'), cell: ({ spec }) => spec.backupTargetName },
    { title: text('column.size'), cell: ({ status }) => shortSize(status.size) },
    { title: text('backup.count'), cell: ({ status }) => status.backups },
    { title: text('column.last'), cell: ({ status }) => ageText(status.lastBackupAt, now) },
    { title: text('volume.image'), cell: ({ status }) => status.backingImageName },
  ];
  const actionsOf = (volume: BackupVolume) => {
    const newest = newestOf(volume, backups);
    const info = {
      label: text('backup.imageInfo'),
      disabled: volume.status.backingImageName === '' ? text('backup.noImage') : undefined,
      run: () => setShown(volume),
    };
    const changes = [
      {
        label: text('backup.restoreNewest'),
        disabled: newest ? undefined : text('backup.incomplete'),
        run: () => newest && restore(newest),
      },
      { label: text('backup.deleteAll'), danger: true, run: () => setDeleting(volume) },
    ];
    return canWrite ? [info, ...changes] : [info];
  };
  return (
    <Part title={text('backup.volumes')}>
      <Rows
        label={text('backup.volumes')}
        rows={items}
        error={error}
        columns={columns}
        keyOf={({ metadata }) => metadata.name}
        actionsTitle={text('column.operation')}
        actions={(volume) => <Actions label={text('table.actions', { name: volume.spec.volumeName })} actions={actionsOf(volume)} />}
      />
      {shown && (
        <InfoDialog
          title={text('backup.imageInfo')}
          facts={[
            [text('column.name'), shown.status.backingImageName],
            [text('image.current'), shown.status.backingImageChecksum],
          ]}
          close={() => setShown(undefined)}
        />
      )}
      {deleting && (
        <TypedNameDialog
          title={text('backup.deleteAllTitle', { name: deleting.spec.volumeName, target: deleting.spec.backupTargetName })}
          name={deleting.spec.volumeName}
          submit={text('backup.delete')}
          close={() => setDeleting(undefined)}
          act={() => removeAtTarget('backupvolumes', deleting)}
        />
      )}
    </Part>
  );
}
