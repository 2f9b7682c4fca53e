import { Button, Tooltip } from '@patternfly/react-core';
import ExclamationTriangleIcon from '@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon';
import TrashIcon from '@patternfly/react-icons/dist/esm/icons/trash-icon';
import { useState } from 'react';
import { address, remove } from '../api/client';
import { useLive } from '../api/live';
import { shortSize } from '../api/quantity';
import type { BackingImage } from '../api/types';
import { useContributedColumns } from '../contributions/columns';
import { lazyPart } from '../parts/lazyPart';
import { Actions } from '../parts/Actions';
import { BulkDialog } from '../parts/BulkDialog';
import { ButtonWithReason } from '../parts/ButtonWithReason';
import { routeTo } from '../parts/route';
import { Rows, type Column } from '../parts/Rows';
import { toggled } from '../parts/selection';
import { View } from '../parts/View';
import { useText } from '../text/text';
import { CleanUpImage } from './CleanUpImage';
import { CreateImage } from './CreateImage';
import { isUnavailable, isUsed } from './images';

const ImageView = lazyPart(() => import('./ImageView'));

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

function ImageList({ canWrite }: { canWrite: boolean }) {
  const text = useText();
  const { items, error } = useLive('backingimages');
  const { items: volumes } = useLive('volumes');
  const [creating, setCreating] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [deleting, setDeleting] = useState<BackingImage[]>();
  const [cleaning, setCleaning] = useState<BackingImage>();
  const chosen = items?.filter(({ metadata }) => selected.has(metadata.name)) ?? [];
  const inUse = (image: BackingImage) => (isUsed(image, volumes ?? []) ? text('image.inUse') : undefined);
  const whyNot = chosen.length === 0 ? text('image.noneChosen') : chosen.map(inUse).find((reason) => reason !== undefined);
  const columns: Column<BackingImage>[] = [
    { title: text('column.name'), cell: (image) => <Name image={image} /> },
    { title: text('column.size'), cell: ({ status }) => shortSize(status.size) },
    { title: text('column.createdFrom'), cell: ({ spec }) => spec.sourceType },
    ...useContributedColumns<BackingImage>('backingimages'),
  ];
  const actionsOf = (image: BackingImage) => [
    { label: text('image.delete'), danger: true, disabled: inUse(image), run: () => setDeleting([image]) },
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
        <div className="holdfast-toolbar">
          <ButtonWithReason label={text('image.deletion')} whyNot={whyNot} run={() => setDeleting(chosen)} />
        </div>
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
            select: ({ metadata }: BackingImage, on: boolean) => setSelected(toggled(selected, metadata.name, on)),
          },
        })}
      />
      {creating && <CreateImage close={() => setCreating(false)} />}
      {deleting && (
        <BulkDialog
          title={(count) => text('image.deletionTitle', { count })}
          submit={text('image.delete')}
          items={deleting}
          danger
          act={({ metadata }) => remove('backingimages', metadata.name, metadata.uid)}
          close={() => setDeleting(undefined)}
        />
      )}
      {cleaning && <CleanUpImage image={cleaning} close={() => setCleaning(undefined)} />}
    </View>
  );
}

/** Backing images. */
export default function ImagesView({ name, canWrite }: { name: string | undefined; canWrite: boolean }) {
  return name ? <ImageView name={name} canWrite={canWrite} /> : <ImageList canWrite={canWrite} />;
}
