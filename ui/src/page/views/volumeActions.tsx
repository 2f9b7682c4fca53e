import { useState, type ReactNode } from 'react';
import type { Volume, VolumeAttachment } from '../api/types';
import type { Action } from '../parts/Actions';
import { Dialog } from '../parts/Dialog';
import type { TextFunction } from '../text/text';
import { detach } from './actions';
import { AttachVolume, DeleteVolume, GrowVolume } from './VolumeDialogs';

type Kind = 'attach' | 'detach' | 'grow' | 'delete';

interface Open {
  kind: Kind;
  volume: Volume;
  attachment: VolumeAttachment | undefined;
}

function dialogOf({ kind, volume, attachment }: Open, text: TextFunction, close: () => void): ReactNode {
  const { name } = volume.metadata;
  switch (kind) {
    case 'attach':
      return <AttachVolume name={name} close={close} />;
    case 'detach':
      return (
        <Dialog
          title={`${text('volume.detach')}: ${name}`}
          submit={text('volume.detach')}
          close={close}
          act={() => (attachment ? detach(attachment) : Promise.resolve())}
        />
      );
    case 'grow':
      return <GrowVolume volume={volume} close={close} />;
    case 'delete':
      return <DeleteVolume volume={volume} close={close} />;
  }
}

/** The actions for a volume, and the open dialog of one of them. */
export function useVolumeActions(text: TextFunction): {
  actionsOf: (volume: Volume, attachment: VolumeAttachment | undefined) => Action[];
  dialog: ReactNode;
} {
  const [open, setOpen] = useState<Open>();
  const labels: Record<Kind, string> = {
    attach: text('volume.attach'),
    detach: text('volume.detach'),
    grow: text('volume.grow'),
    delete: text('volume.delete'),
  };
  return {
    actionsOf: (volume, attachment) =>
      (Object.keys(labels) as Kind[]).map((kind) => ({
        label: labels[kind],
        danger: kind === 'delete',
        run: () => setOpen({ kind, volume, attachment }),
      })),
    dialog: open && dialogOf(open, text, () => setOpen(undefined)),
  };
}
