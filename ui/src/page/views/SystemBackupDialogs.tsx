import { useState } from 'react';
import { create } from '../api/client';
import type { BackupTarget, SystemBackup } from '../api/types';
import { ChoiceField, Dialog, TextField } from '../parts/Dialog';
import { useText } from '../text/text';
import { named } from './BackupDialogs';

const POLICIES = ['if-not-present', 'always', 'disabled'];
const VOLUMES = ['restore', 'none'];
const MODES = ['whole', 'lazy'];

function same(values: string[]): { value: string; label: string }[] {
  return values.map((value) => ({ value, label: value }));
}

export function CreateSystemBackup({ targets, close }: { targets: BackupTarget[]; close: () => void }) {
  const text = useText();
  const [name, setName] = useState('');
  const [target, setTarget] = useState(targets[0]?.metadata.name ?? '');
  const [volumeBackupPolicy, setPolicy] = useState('if-not-present');
  const act = () => create('systembackups', name, { backupTargetName: target, volumeBackupPolicy });
  return (
    <Dialog title={text('system.create')} submit={text('system.create')} close={close} act={act}>
      {(refusal) => (
        <>
          <TextField label={text('column.name')} value={name} change={setName} required problem={refusal?.about('metadata.name')} />
          <ChoiceField
            label={text('column.target')}
            value={target}
            change={setTarget}
            options={named(targets)}
            problem={refusal?.about('spec.backupTargetName')}
          />
          <ChoiceField label={text('system.policy')} value={volumeBackupPolicy} change={setPolicy} options={same(POLICIES)} />
        </>
      )}
    </Dialog>
  );
}

export function RestoreSystem({ backup, close }: { backup: SystemBackup; close: () => void }) {
  const text = useText();
  const { name: systemBackup } = backup.metadata;
  const [name, setName] = useState('');
  const [volumes, setVolumes] = useState('restore');
  const [restoreMode, setMode] = useState('whole');
  const { backupTargetName } = backup.spec;
  const act = () => create('systemrestores', name, { systemBackup, backupTargetName, volumes, restoreMode });
  return (
    <Dialog title={text('system.restoreTitle', { name: systemBackup })} submit={text('backup.restore')} close={close} act={act}>
      {(refusal) => (
        <>
          <p>{text('system.restoreHelp')}</p>
          <TextField label={text('system.restoreName')} value={name} change={setName} required problem={refusal?.about('metadata.name')} />
          <ChoiceField label={text('system.volumes')} value={volumes} change={setVolumes} options={same(VOLUMES)} />
          <ChoiceField
            label={text('system.mode')}
            value={restoreMode}
            change={setMode}
            options={same(MODES)}
            problem={refusal?.about('spec.restoreMode')}
          />
        </>
      )}
    </Dialog>
  );
}
