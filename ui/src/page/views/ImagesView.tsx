import { Button, Tooltip } from '@patternfly/react-core';
import ExclamationTriangleIcon from '@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon';
import TrashIcon from '@patternfly/react-icons/dist/esm/icons/trash-icon';
import { useState } from 'react';
import { address, patch, remove } from '../api/client';
import { useLive } from '../api/live';
import { shortSize } from '../api/quantity';
import type { BackingImage } from '../api/types';
import { lazyPart } from '../parts/lazyPart';
import { Actions } from '../parts/Actions';
import { Dialog } from '../parts/Dialog';
import { routeTo } from '../parts/route';
import { Rows, type Column } from '../parts/Rows';
import { View } from '../parts/View';
import { useText } from '../text/text';
import { CreateImage } from './CreateImage';

const ImageView = lazyPart(() => import('./ImageView'));

/** Returns whether no disk has a usable file. */
export function isUnavailable({ status }: BackingImage): boolean {
  const files = Object.values(status.diskFileStatusMap);
  return files.length > 0 && files.every(({ state }) => state === 'failed');
}

function Name({ image }: { image: BackingImage }) {
  const text = useText();
  const { name, deletionTimestamp } = image.metadata;
  return (
    <>
      <a href={routeTo('images', name)}>{name}</a>{' '}
      {deletionTimestamp && (
        <Tooltip content={text('image.beingDeleted')}>
          <Button variant="plain" hasNoPadding aria-label={text('image.beingDeleted')} icon={<TrashIcon />} />
        </Tooltip>
      )}
      {isUnavailable(image) && (
        <Tooltip content={text('image.unavailable')}>
          <Button variant="plain" hasNoPadding aria-label={text('image.unavailable')} icon={<ExclamationTriangleIcon />} />
        </Tooltip>
      )}
    </>
  );
}

function CleanUp({ image, close }: { image: BackingImage; close: () => void }) {
  const text = useText();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { name } = image.metadata;
  const files = Object.entries(image.status.diskFileStatusMap).map(([disk, file]) => ({ disk, ...file }));
  return (
    <Dialog
      title={text('image.cleanUpTitle', { name })}
      submit={text('image.cleanUp')}
      danger
      disabled={chosen.size === 0}
      close={close}
      act={() => patch('backingimages', name, { spec: { cleanupDisks: [...chosen] } })}
    >
      <Rows
        label={text('image.files')}
        rows={files}
        columns={[
          { title: text('column.disk'), cell: ({ disk }) => disk },
          { title: text('column.state'), cell: ({ state }) => state },
        ]}
        keyOf={({ disk }) => disk}
        selection={{
          isSelected: ({ disk }) => chosen.has(disk),
          select: ({ disk }, selected) => {
            const next = new Set(chosen);
            if (selected) {
              next.add(disk);
            } else {
              next.delete(disk);
            }
            setChosen(next);
          },
        }}
      />
    </Dialog>
  );
}

function DeleteImages({ images, close }: { images: BackingImage[]; close: () => void }) {
  const text = useText();
  async function act(): Promise<void> {
    for (const { metadata } of images) {
      await remove('backingimages', metadata.name, metadata.uid);
    }
  }
  return (
    <Dialog title={text('image.deletionTitle', { count: images.length })} submit={text('image.delete')} danger close={close} act={act}>
      <p>{images.map(({ metadata }) => metadata.name).join(', ')}</p>
    </Dialog>
  );
}

function ImageList({ canWrite }: { canWrite: boolean }) {
  const text = useText();
  const { items, error } = useLive('backingimages');
  const { items: volumes } = useLive('volumes');
  const [creating, setCreating] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [deleting, setDeleting] = useState<BackingImage[]>();
  const [cleaning, setCleaning] = useState<BackingImage>();
  const chosen = items?.filter(({ metadata }) => selected.has(metadata.name)) ?? [];
  const isUsed = (image: BackingImage) => volumes?.some(({ spec }) => spec.backingImage === image.metadata.name) ?? false;
  const columns: Column<BackingImage>[] = [
    { title: text('column.name'), cell: (image) => <Name image={image} /> },
    { title: text('column.size'), cell: ({ status }) => shortSize(status.size) },
    { title: text('column.createdFrom'), cell: ({ spec }) => spec.sourceType },
  ];
  const actionsOf = (image: BackingImage) => [
    { label: text('image.delete'), danger: true, disabled: isUsed(image) ? text('image.inUse') : undefined, run: () => setDeleting([image]) },
    { label: text('image.cleanUp'), run: () => setCleaning(image) },
    {
      label: text('image.download'),
      run: () => {
        window.location.href = `${address('backingimages', image.metadata.name)}/download`;
      },
    },
  ];
  return (
    <View title={text('nav.images')} actions={canWrite && <Button onClick={() => setCreating(true)}>{text('image.create')}</Button>}>
      {canWrite && (
        <Button
          className="holdfast-toolbar"
          variant="secondary"
          isDisabled={chosen.length === 0 || chosen.some(isUsed)}
          onClick={() => setDeleting(chosen)}
        >
          {text('image.deletion')}
        </Button>
      )}
      <Rows
        label={text('nav.images')}
        rows={items}
        error={error}
        columns={columns}
        keyOf={({ metadata }) => metadata.name}
        actionsTitle={text('column.operation')}
        {...(canWrite && {
          actions: (image: BackingImage) => (
            <Actions label={text('table.actions', { name: image.metadata.name })} actions={actionsOf(image)} />
          ),
          selection: {
            isSelected: ({ metadata }: BackingImage) => selected.has(metadata.name),
            select: ({ metadata }: BackingImage, on: boolean) => {
              const next = new Set(selected);
              if (on) {
                next.add(metadata.name);
              } else {
                next.delete(metadata.name);
              }
              setSelected(next);
            },
          },
        })}
      />
      {creating && <CreateImage close={() => setCreating(false)} />}
      {deleting && <DeleteImages images={deleting} close={() => setDeleting(undefined)} />}
      {cleaning && <CleanUp image={cleaning} close={() => setCleaning(undefined)} />}
    </View>
  );
}

/** Backing images. */
export default function ImagesView({ name, canWrite }: { name: string | undefined; canWrite: boolean }) {
  return name ? <ImageView name={name} canWrite={canWrite} /> : <ImageList canWrite={canWrite} />;
}
