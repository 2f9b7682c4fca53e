import { Button } from '@patternfly/react-core';
import { useState } from 'react';
import { useLive } from '../api/live';
import { ageText, shortSize } from '../api/quantity';
import type { SystemBackup, SystemRestore } from '../api/types';
import { Actions } from '../parts/Actions';
import { useNow } from '../parts/clock';
import { TypedNameDialog } from '../parts/Dialog';
import { Rows, type Column } from '../parts/Rows';
import { StateLabel } from '../parts/StateLabel';
import { Part, View } from '../parts/View';
import { useText } from '../text/text';
import { removeAtTarget } from './removeAtTarget';
import { CreateSystemBackup, RestoreSystem } from './SystemBackupDialogs';

function total({ status }: SystemRestore, outcome: 'restored' | 'existing' | 'skipped' | 'failed'): number {
  return status.kinds.reduce((sum, kind) => sum + kind[outcome], 0);
}

function Restores() {
  const text = useText();
  const now = useNow();
  const { items, error } = useLive('systemrestores');
  const columns: Column<SystemRestore>[] = [
    { title: text('column.name'), cell: ({ metadata }) => metadata.name },
    { title: text('system.backup'), cell: ({ spec }) => spec.systemBackup },
    { title: text('column.state'), cell: ({ status }) => <StateLabel state={status.state} /> },
    {
      title: text('system.outcome'),
      cell: (restore) =>
        text('system.outcomeText', {
          restored: total(restore, 'restored'),
          existing: total(restore, 'existing'),
          skipped: total(restore, 'skipped'),
          failed: total(restore, 'failed'),
        }),
    },
    { title: text('system.pending'), cell: ({ status }) => status.pendingVolumes },
    { title: text('column.message'), cell: ({ status }) => [status.error, ...status.failures].join(' ') },
    { title: text('column.age'), cell: ({ metadata }) => ageText(metadata.creationTimestamp, now) },
  ];
  return (
    <Part title={text('system.restores')}>
      <Rows label={text('system.restores')} rows={items} error={error} columns={columns} keyOf={({ metadata }) => metadata.name} />
    </Part>
  );
}

/** Backups of the resources of the cluster, and their restores. */
export default function SystemBackupsView({ canWrite }: { canWrite: boolean }) {
  const text = useText();
  const now = useNow();
  const { items, error } = useLive('systembackups');
  const { items: targets } = useLive('backuptargets');
  const [creating, setCreating] = useState(false);
  const [restoring, setRestoring] = useState<SystemBackup>();
  const [deleting, setDeleting] = useState<SystemBackup>();
  const columns: Column<SystemBackup>[] = [
    { title: text('column.name'), cell: ({ metadata }) => metadata.name },
    { title: text('column.state'), cell: ({ status }) => <StateLabel state={status.state} /> },
    { title: text('column.target'), cell: ({ spec }) => spec.backupTargetName },
    { title: text('system.items'), cell: ({ status }) => status.items },
    { title: text('nav.volumes'), cell: ({ status }) => status.volumes },
    { title: text('column.size'), cell: ({ status }) => shortSize(status.size) },
    { title: text('column.message'), cell: ({ status }) => [status.error, ...status.failures].join(' ') },
    { title: text('column.age'), cell: ({ status, metadata }) => ageText(status.createdAt ?? metadata.creationTimestamp, now) },
  ];
  const actionsOf = (backup: SystemBackup) => [
    {
      label: text('backup.restore'),
      disabled: backup.status.state === 'Ready' ? undefined : text('system.notReady'),
      run: () => setRestoring(backup),
    },
    { label: text('backup.delete'), danger: true, run: () => setDeleting(backup) },
  ];
  return (
    <View
      title={text('nav.systemBackups')}
      actions={canWrite && targets && targets.length > 0 && <Button onClick={() => setCreating(true)}>{text('system.create')}</Button>}
    >
      <Rows
        label={text('nav.systemBackups')}
        rows={items}
        error={error}
        columns={columns}
        keyOf={({ metadata }) => metadata.name}
        {...(canWrite && {
          actions: (backup: SystemBackup) => (
            <Actions label={text('table.actions', { name: backup.metadata.name })} actions={actionsOf(backup)} />
          ),
        })}
      />
      <Restores />
      {creating && targets && <CreateSystemBackup targets={targets} close={() => setCreating(false)} />}
      {restoring && <RestoreSystem backup={restoring} close={() => setRestoring(undefined)} />}
      {deleting && (
        <TypedNameDialog
          title={text('system.deleteTitle', { name: deleting.metadata.name })}
          name={deleting.metadata.name}
          submit={text('backup.delete')}
          close={() => setDeleting(undefined)}
          act={() => removeAtTarget('systembackups', deleting)}
        />
      )}
    </View>
  );
}
