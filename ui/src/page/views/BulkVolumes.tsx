import { Flex } from '@patternfly/react-core';
import { useState } from 'react';
import type { Volume, VolumeAttachment } from '../api/types';
import { BulkDialog } from '../parts/BulkDialog';
import { ButtonWithReason } from '../parts/ButtonWithReason';
import { useText } from '../text/text';
import { attach, detach } from './actions';
import { deleteVolume } from './deletions';
import { KeptContent } from './KeptContent';

type Kind = 'attach' | 'detach' | 'delete';

interface Props {
  chosen: Volume[];
  attachmentOf: (volume: Volume) => VolumeAttachment | undefined;
}

/** The actions for all chosen volumes. */
export function BulkVolumes({ chosen, attachmentOf }: Props) {
  const text = useText();
  const [open, setOpen] = useState<{ kind: Kind; volumes: Volume[] }>();
  const [atOnce, setAtOnce] = useState(false);
  const whyNot = chosen.length === 0 ? text('volumes.noneChosen') : undefined;
  const acts: Record<Kind, (volume: Volume) => Promise<unknown>> = {
    attach: ({ metadata }) => attach(metadata.name, ''),
    detach: (volume) => {
      const attachment = attachmentOf(volume);
      return attachment ? detach(attachment) : Promise.resolve();
    },
    delete: (volume) => deleteVolume(volume, atOnce),
  };
  return (
    <>
      <Flex className="holdfast-toolbar" gap={{ default: 'gapSm' }}>
        {(Object.keys(acts) as Kind[]).map((kind) => (
          <ButtonWithReason
            key={kind}
            label={text(`volumes.${kind}Chosen`)}
            whyNot={whyNot}
            run={() => {
              setAtOnce(false);
              setOpen({ kind, volumes: chosen });
            }}
          />
        ))}
      </Flex>
      {open && (
        <BulkDialog
          title={(count) => text(`volumes.${open.kind}Title`, { count })}
          submit={text(`volume.${open.kind}`)}
          items={open.volumes}
          danger={open.kind === 'delete'}
          confirmed={open.kind === 'delete'}
          act={acts[open.kind]}
          close={() => setOpen(undefined)}
        >
          {open.kind === 'delete' && <KeptContent volumes={open.volumes} atOnce={atOnce} change={setAtOnce} />}
        </BulkDialog>
      )}
    </>
  );
}
