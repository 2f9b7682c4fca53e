import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { ApiError, CONFLICT, create, edit, list } from '../api/client';
import type { Volume } from '../api/types';
import { ChoiceField, Dialog, TextField, TypedNameDialog } from '../parts/Dialog';
import { useText } from '../text/text';
import { attach } from './actions';
import { deleteVolume } from './deletions';
import { KeptContent } from './KeptContent';

export function CreateVolume({ close }: { close: () => void }) {
  const text = useText();
  const [name, setName] = useState('');
  const [size, setSize] = useState('1Gi');
  const [replicas, setReplicas] = useState('3');
  const [frontend, setFrontend] = useState('');
  const [image, setImage] = useState('');
  const { data: nodes } = useQuery({ queryKey: ['nodes', 'once'], queryFn: () => list('nodes') });
  const { data: images } = useQuery({ queryKey: ['images', 'once'], queryFn: () => list('backingimages'), retry: false });
  const frontends = [...new Set(nodes?.items.flatMap((node) => node.status.frontends))].filter((each) => each !== 'replica').sort();

  const act = () =>
    create('volumes', name, {
      size,
      numberOfReplicas: Number(replicas),
      ...(frontend ? { frontend } : {}),
      ...(image ? { backingImage: image } : {}),
    });

  return (
    <Dialog title={text('volumes.create')} submit={text('volumes.create')} close={close} act={act}>
      {(refusal) => (
        <>
          <TextField label={text('column.name')} value={name} change={setName} required problem={refusal?.about('metadata.name')} />
          <TextField label={text('column.size')} value={size} change={setSize} required problem={refusal?.about('spec.size')} />
          <TextField
            label={text('column.replicas')}
            type="number"
            value={replicas}
            change={setReplicas}
            required
            problem={refusal?.about('spec.numberOfReplicas')}
          />
          <ChoiceField
            label={text('volume.frontend')}
            value={frontend}
            change={setFrontend}
            options={[{ value: '', label: text('volume.frontendNone') }, ...frontends.map((each) => ({ value: each, label: each }))]}
          />
          {images && images.items.length > 0 && (
            <ChoiceField
              label={text('volume.image')}
              value={image}
              change={setImage}
              options={[
                { value: '', label: text('volume.noImage') },
                ...images.items.map(({ metadata }) => ({ value: metadata.name, label: metadata.name })),
              ]}
            />
          )}
        </>
      )}
    </Dialog>
  );
}

export function AttachVolume({ name, close }: { name: string; close: () => void }) {
  const text = useText();
  const [node, setNode] = useState('');
  const { data: nodes } = useQuery({ queryKey: ['nodes', 'once'], queryFn: () => list('nodes') });
  return (
    <Dialog title={text('volume.attachTo', { name })} submit={text('volume.attach')} close={close} act={() => attach(name, node)}>
      <ChoiceField
        label={text('column.node')}
        value={node}
        change={setNode}
        options={[
          { value: '', label: text('volume.anyNode') },
          ...(nodes?.items ?? []).map(({ metadata }) => ({ value: metadata.name, label: metadata.name })),
        ]}
      />
    </Dialog>
  );
}

/** Grows a volume from the size that the user saw. If another client changed the size, shows that change first. */
export function GrowVolume({ volume, close }: { volume: Volume; close: () => void }) {
  const text = useText();
  const [opened, setOpened] = useState(volume);
  const [size, setSize] = useState(volume.spec.size);
  const name = volume.metadata.name;

  // Controllers change the status of a volume at any time, so only a different size is a conflict.
  const act = () =>
    edit('volumes', name, (now) => {
      if (now.spec.size !== opened.spec.size) {
        setOpened(now);
        throw new ApiError(CONFLICT, 'Conflict', text('form.conflict', { name, theirs: now.spec.size, yours: size }));
      }
      return { spec: { size } };
    });

  return (
    <Dialog title={text('volume.growTo', { name })} submit={text('volume.grow')} close={close} act={act}>
      {(refusal) => (
        <TextField label={text('volume.newSize')} value={size} change={setSize} required problem={refusal?.about('spec.size')} />
      )}
    </Dialog>
  );
}

export function DeleteVolume({ volume, close }: { volume: Volume; close: () => void }) {
  const text = useText();
  const [atOnce, setAtOnce] = useState(false);
  const { name } = volume.metadata;
  return (
    <TypedNameDialog
      title={text('volume.deleteTitle', { name })}
      name={name}
      submit={text('volume.delete')}
      close={close}
      act={() => deleteVolume(volume, atOnce)}
    >
      <KeptContent volumes={[volume]} atOnce={atOnce} change={setAtOnce} />
    </TypedNameDialog>
  );
}
