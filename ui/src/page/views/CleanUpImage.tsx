import { useState } from 'react';
import { edit } from '../api/client';
import { useLive } from '../api/live';
import type { BackingImage } from '../api/types';
import { Dialog, MORE } from '../parts/Dialog';
import { Rows } from '../parts/Rows';
import { toggled } from '../parts/selection';
import { StateLabel } from '../parts/StateLabel';
import { useText } from '../text/text';
import { DiskFiles, filesOf } from './DiskFiles';
import { cleanUpState } from './images';

interface Asked {
  disks: string[];
  /** State of the image that contains the request. */
  image: BackingImage;
}

/** Returns the newer one of two states of an image. For a deleted image, returns the known state. */
function newer(image: BackingImage | undefined, asked: BackingImage): BackingImage {
  return image && (image.metadata.generation ?? 0) >= (asked.metadata.generation ?? 0) ? image : asked;
}

/** Removes files of an image from disks that the user chooses, and shows the progress. */
export function CleanUpImage({ image, close }: { image: BackingImage; close: () => void }) {
  const text = useText();
  const { name } = image.metadata;
  const live = useLive('backingimages').items?.find(({ metadata }) => metadata.name === name);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<Asked>();

  async function ask(): Promise<typeof MORE> {
    const disks = [...chosen];
    const wanted = ({ spec }: BackingImage) => ({ spec: { cleanupDisks: [...new Set([...spec.cleanupDisks, ...disks])] } });
    setAsked({ disks, image: await edit('backingimages', name, wanted) });
    return MORE;
  }

  return (
    <Dialog
      title={text('image.cleanUpTitle', { name })}
      submit={text(asked ? 'form.close' : 'image.cleanUp')}
      danger={!asked}
      done={asked !== undefined}
      disabled={!asked && chosen.size === 0}
      close={close}
      act={() => (asked ? Promise.resolve() : ask())}
    >
      {asked ? (
        <Rows
          label={text('image.cleanUp')}
          rows={asked.disks.map((disk) => ({ disk, state: cleanUpState(newer(live, asked.image), disk) }))}
          columns={[
            { title: text('column.disk'), cell: ({ disk }) => disk },
            { title: text('column.state'), cell: ({ state }) => <StateLabel state={state} text={text(`cleanUp.${state}`)} /> },
          ]}
          keyOf={({ disk }) => disk}
        />
      ) : (
        <DiskFiles
          files={filesOf(live ?? image)}
          selection={{
            isSelected: ({ disk }) => chosen.has(disk),
            select: ({ disk }, on) => setChosen(toggled(chosen, disk, on)),
          }}
        />
      )}
    </Dialog>
  );
}
