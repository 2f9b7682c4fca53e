import { Button } from '@patternfly/react-core';
import { useState } from 'react';
import { useLive } from '../api/live';
import { ageText, shortSize } from '../api/quantity';
import type { Backup, BackupTarget } from '../api/types';
import { Actions } from '../parts/Actions';
import { useNow } from '../parts/clock';
import { TypedNameDialog } from '../parts/Dialog';
import { Rows, type Column } from '../parts/Rows';
import { StateLabel } from '../parts/StateLabel';
import { Part, View } from '../parts/View';
import { useText } from '../text/text';
import { CreateBackup, RestoreBackup } from './BackupDialogs';
import { BackupVolumes } from './BackupVolumes';
import { removeAtTarget } from './removeAtTarget';

function Targets({ targets }: { targets: BackupTarget[] | undefined }) {
  const text = useText();
  const columns: Column<BackupTarget>[] = [
    { title: text('column.name'), cell: ({ metadata }) => metadata.name },
    { title: text('column.address'), cell: ({ spec }) => spec.backupTargetURL },
    { title: text('column.state'), cell: ({ status }) => text(status.available ? 'backup.available' : 'backup.unavailable') },
    { title: text('column.message'), cell: ({ status }) => status.conditions.map(({ message }) => message).join(' ') },
  ];
  return (
    <Part title={text('backup.targets')}>
      <Rows label={text('backup.targets')} rows={targets} columns={columns} keyOf={({ metadata }) => metadata.name} />
    </Part>
  );
}

/** Backups and the targets that keep them. */
export default function BackupsView({ canWrite }: { canWrite: boolean }) {
  const text = useText();
  const now = useNow();
  const { items, error } = useLive('backups');
  const { items: targets } = useLive('backuptargets');
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<Backup>();
  const [restoring, setRestoring] = useState<Backup>();
  const columns: Column<Backup>[] = [
    { title: text('column.name'), cell: ({ metadata }) => metadata.name },
    { title: text('column.volume'), cell: ({ spec }) => spec.volume },
    { title: text('column.state'), cell: ({ status }) => <StateLabel state={status.state} /> },
    { title: text('column.progress'), cell: ({ status }) => `${status.progress} %` },
    { title: text('column.size'), cell: ({ status }) => shortSize(status.size) },
    { title: text('column.target'), cell: ({ spec }) => spec.backupTargetName },
    { title: text('column.message'), cell: ({ status }) => status.error },
    { title: text('column.age'), cell: ({ status, metadata }) => ageText(status.backupCreatedAt ?? metadata.creationTimestamp, now) },
  ];
  return (
    <View
      title={text('nav.backups')}
      actions={canWrite && targets && targets.length > 0 && <Button onClick={() => setCreating(true)}>{text('backup.create')}</Button>}
    >
      <Rows
        label={text('nav.backups')}
        rows={items}
        error={error}
        columns={columns}
        keyOf={({ metadata }) => metadata.name}
        {...(canWrite && {
          actions: (backup: Backup) => (
            <Actions
              label={text('table.actions', { name: backup.metadata.name })}
              actions={[
                {
                  label: text('backup.restore'),
                  disabled: backup.status.url === '' ? text('backup.incomplete') : undefined,
                  run: () => setRestoring(backup),
                },
                { label: text('backup.delete'), danger: true, run: () => setDeleting(backup) },
              ]}
            />
          ),
        })}
      />
      <BackupVolumes backups={items ?? []} canWrite={canWrite} restore={setRestoring} />
      <Targets targets={targets} />
      {creating && targets && <CreateBackup targets={targets} close={() => setCreating(false)} />}
      {restoring && <RestoreBackup backup={restoring} close={() => setRestoring(undefined)} />}
      {deleting && (
        <TypedNameDialog
          title={text('backup.deleteTitle', { name: deleting.metadata.name })}
          name={deleting.metadata.name}
          submit={text('backup.delete')}
          close={() => setDeleting(undefined)}
          act={() => removeAtTarget('backups', deleting)}
        />
      )}
    </View>
  );
}
