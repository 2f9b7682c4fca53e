import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { create, list } from '../api/client';
import { useLive } from '../api/live';
import type { Backup, BackupTarget, BackupVolume, Resource } from '../api/types';
import { CheckField, ChoiceField, Dialog, TextField } from '../parts/Dialog';
import { useText } from '../text/text';

/** Returns the names of resources as options of a choice. */
export function named(items: Resource[] | undefined): { value: string; label: string }[] {
  return (items ?? []).map(({ metadata }) => ({ value: metadata.name, label: metadata.name }));
}

export function CreateBackup({ targets, close }: { targets: BackupTarget[]; close: () => void }) {
  const text = useText();
  const { data: volumes } = useQuery({ queryKey: ['volumes', 'once'], queryFn: () => list('volumes') });
  const [name, setName] = useState('');
  const [volume, setVolume] = useState('');
  const [target, setTarget] = useState(targets[0]?.metadata.name ?? '');
  const chosen = volume || volumes?.items[0]?.metadata.name || '';
  const act = () => create('backups', name, { volume: chosen, ...(target ? { backupTargetName: target } : {}) });
  return (
    <Dialog title={text('backup.create')} submit={text('backup.create')} close={close} act={act}>
      {(refusal) => (
        <>
          <TextField label={text('backup.name')} value={name} change={setName} required problem={refusal?.about('metadata.name')} />
          <ChoiceField
            label={text('column.volume')}
            value={chosen}
            change={setVolume}
            options={named(volumes?.items)}
            problem={refusal?.about('spec.volume')}
          />
          <ChoiceField
            label={text('column.target')}
            value={target}
            change={setTarget}
            options={named(targets)}
            problem={refusal?.about('spec.backupTargetName')}
          />
        </>
      )}
    </Dialog>
  );
}

/** Returns the volume at the target to which a backup belongs. */
export function backupVolumeOf({ spec }: Backup, volumes: BackupVolume[]): BackupVolume | undefined {
  return volumes.find((each) => each.spec.volumeName === spec.volume && each.spec.backupTargetName === spec.backupTargetName);
}

/** Restores a backup as a new volume, on its previous image or on another image with the same content. */
export function RestoreBackup({ backup, close }: { backup: Backup; close: () => void }) {
  const text = useText();
  const [name, setName] = useState('');
  const [usePrevious, setUsePrevious] = useState(true);
  const [image, setImage] = useState('');
  const { items: volumes } = useLive('backupvolumes');
  const previous = backupVolumeOf(backup, volumes ?? [])?.status.backingImageName ?? '';
  const choosesImage = previous !== '' && !usePrevious;
  const { data: images } = useQuery({ queryKey: ['images', 'once'], queryFn: () => list('backingimages'), enabled: choosesImage });
  const { volumeSize: size, url } = backup.status;
  // Without an image in the request, the system uses the previous one. It restores that image if the cluster does not have it.
  const act = () => create('volumes', name, { size, fromBackup: url, ...(choosesImage ? { backingImage: image } : {}) });
  return (
    <Dialog
      title={text('backup.restoreTitle', { name: backup.metadata.name })}
      submit={text('backup.restore')}
      disabled={volumes === undefined || (choosesImage && image === '')}
      close={close}
      act={act}
    >
      {(refusal) => (
        <>
          <TextField label={text('column.name')} value={name} change={setName} required problem={refusal?.about('metadata.name')} />
          {previous !== '' && <CheckField label={text('backup.usePrevious', { name: previous })} value={usePrevious} change={setUsePrevious} />}
          {choosesImage && (
            <ChoiceField
              label={text('volume.image')}
              value={image}
              change={setImage}
              options={[{ value: '', label: '' }, ...named(images?.items)]}
              problem={refusal?.about('spec.backingImage')}
            />
          )}
        </>
      )}
    </Dialog>
  );
}
