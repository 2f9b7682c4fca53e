import { Button, FormGroup, Progress } from '@patternfly/react-core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { create, list } from '../api/client';
import { sizeText } from '../api/quantity';
import { ChoiceField, Dialog, TextField } from '../parts/Dialog';
import { Failure } from '../parts/Failure';
import { useText } from '../text/text';
import { awaitReceiver, upload, type UploadProgress } from './imageUpload';

/** The parameter that each source of the platform needs. */
const PARAMETERS = {
  download: 'url',
  upload: '',
  'export-from-volume': 'volume-name',
  clone: 'backing-image',
  restore: 'backup-url',
} as const;

type SourceType = keyof typeof PARAMETERS;

function useWarningBeforeLeaving(active: boolean): void {
  useEffect(() => {
    if (!active) {
      return undefined;
    }
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [active]);
}

function UploadState({ state }: { state: UploadProgress | 'waiting' }) {
  const text = useText();
  if (state === 'waiting') {
    return <p role="status">{text('image.awaiting')}</p>;
  }
  const { sent, total, bytesPerSecond } = state;
  const percent = Math.floor((100 * sent) / total);
  const left = Math.ceil((total - sent) / Math.max(1, bytesPerSecond));
  return <Progress title={text('image.uploading', { percent, rate: sizeText(bytesPerSecond), left })} value={percent} />;
}

interface SourceProps {
  type: SourceType;
  value: string;
  change: (value: string, checksum?: string) => void;
  problem: string | undefined;
}

/** The backups of images at targets. */
function BackedUpImage({ value, change, problem }: SourceProps) {
  const text = useText();
  const { data, error } = useQuery({ queryKey: ['backupbackingimages', 'once'], queryFn: () => list('backupbackingimages') });
  const complete = (data?.items ?? []).filter(({ status }) => status.url !== '');
  return (
    <>
      <Failure error={error ?? undefined} />
      <ChoiceField
        label={text('image.backup')}
        value={value}
        change={(url) => change(url, complete.find(({ status }) => status.url === url)?.status.checksum ?? '')}
        problem={problem}
        options={[
          { value: '', label: '' },
          ...complete.map(({ spec, status }) => ({
            value: status.url,
            label: text('image.atTarget', { name: spec.backingImage, target: spec.backupTargetName }),
          })),
        ]}
      />
    </>
  );
}

function SourceValue(props: SourceProps) {
  const { type, value, change, problem } = props;
  const text = useText();
  const plural = type === 'clone' ? 'backingimages' : 'volumes';
  const { data } = useQuery({
    queryKey: [plural, 'once'],
    queryFn: () => list(plural),
    enabled: type === 'clone' || type === 'export-from-volume',
  });
  if (type === 'download') {
    return <TextField label={text('image.url')} type="url" value={value} change={change} required problem={problem} />;
  }
  if (type === 'restore') {
    return <BackedUpImage {...props} />;
  }
  return (
    <ChoiceField
      label={text(type === 'clone' ? 'image.copyOf' : 'image.volume')}
      value={value}
      change={change}
      problem={problem}
      options={[{ value: '', label: '' }, ...(data?.items ?? []).map(({ metadata }) => ({ value: metadata.name, label: metadata.name }))]}
    />
  );
}

/** Creates an image. For an upload, also sends its file. */
export function CreateImage({ close }: { close: () => void }) {
  const text = useText();
  const fileId = useId();
  const [name, setName] = useState('');
  const [type, setType] = useState<SourceType>('download');
  const [value, setValue] = useState('');
  const [file, setFile] = useState<File>();
  const [checksum, setChecksum] = useState('');
  const [state, setState] = useState<UploadProgress | 'waiting'>();
  const created = useRef(false);
  const abort = useRef(new AbortController());
  useWarningBeforeLeaving(state !== undefined);

  async function act(): Promise<void> {
    const parameter = PARAMETERS[type];
    if (!created.current) {
      await create('backingimages', name, {
        sourceType: type,
        sourceParameters: parameter ? { [parameter]: value } : {},
        ...(checksum ? { checksum } : {}),
      });
    }
    if (type === 'upload' && file) {
      created.current = true;
      setState('waiting');
      try {
        await awaitReceiver(name, abort.current.signal, text('image.notAwaited'));
        await upload(name, file, abort.current.signal, setState);
      } finally {
        setState(undefined);
      }
    }
  }

  function leave(): void {
    abort.current.abort();
    close();
  }

  return (
    <Dialog
      title={text('image.create')}
      submit={text('image.create')}
      disabled={type === 'upload' ? !file : value === ''}
      close={leave}
      act={act}
    >
      {(refusal) => (
        <>
          <TextField label={text('image.name')} value={name} change={setName} required problem={refusal?.about('metadata.name')} />
          <ChoiceField
            label={text('image.source')}
            value={type}
            change={(next) => {
              setType(next as SourceType);
              setValue('');
            }}
            options={Object.keys(PARAMETERS).map((each) => ({ value: each, label: each }))}
          />
          {type === 'upload' ? (
            <FormGroup label={text('image.file')} fieldId={fileId} isRequired>
              <input id={fileId} type="file" onChange={(event) => setFile(event.target.files?.[0])} />
            </FormGroup>
          ) : (
            <SourceValue
              type={type}
              value={value}
              problem={refusal?.about('spec.sourceParameters')}
              change={(next, known) => {
                setValue(next);
                setChecksum(known ?? checksum);
              }}
            />
          )}
          <TextField
            label={`${text('image.checksum')} (${text('form.optional')})`}
            value={checksum}
            change={setChecksum}
            problem={refusal?.about('spec.checksum')}
          />
          {state && (
            <>
              <UploadState state={state} />
              <Button variant="secondary" onClick={leave}>
                {text('form.cancel')}
              </Button>
            </>
          )}
        </>
      )}
    </Dialog>
  );
}
