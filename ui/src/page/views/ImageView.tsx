import {
  Button, DescriptionList, DescriptionListDescription, DescriptionListGroup, DescriptionListTerm, Tooltip,
} from '@patternfly/react-core';
import { useLive } from '../api/live';
import type { BackingImage } from '../api/types';
import { ResourceTabs } from '../contributions/Contributed';
import { Rows } from '../parts/Rows';
import { StateLabel } from '../parts/StateLabel';
import { Part, View } from '../parts/View';
import { YamlPart } from '../parts/YamlPart';
import { useText, type TextFunction } from '../text/text';

/** Returns the terms and values of an image; the expected checksum only if there is one. */
export function factsOf({ spec, status }: BackingImage, text: TextFunction): [string, string][] {
  const parameters = Object.entries(spec.sourceParameters);
  const origin: [string, string] =
    spec.sourceType === 'download'
      ? [text('image.downloadFrom'), spec.sourceParameters['url'] ?? '']
      : [text('image.parameters'), parameters.map(([key, value]) => `${key}=${value}`).join(', ')];
  return [
    [text('image.createdFrom'), spec.sourceType],
    origin,
    ...(spec.checksum ? [[text('image.expected'), spec.checksum] as [string, string]] : []),
    [text('image.current'), status.checksum],
  ];
}

function FileState({ state, message }: { state: string; message: string }) {
  if (!message) {
    return <StateLabel state={state} />;
  }
  // A button, so that the keyboard reaches the tooltip.
  return (
    <Tooltip content={message}>
      <Button variant="link" isInline>
        {state}
      </Button>
    </Tooltip>
  );
}

/** One backing image in full. */
export default function ImageView({ name, canWrite }: { name: string; canWrite: boolean }) {
  const text = useText();
  const { items, error } = useLive('backingimages');
  const image = items?.find(({ metadata }) => metadata.name === name);
  if (!image) {
    return (
      <View title={name}>
        {items && !error ? <p>{text('image.gone', { name })}</p> : <Rows label={name} rows={undefined} error={error} columns={[]} keyOf={String} />}
      </View>
    );
  }
  const files = Object.entries(image.status.diskFileStatusMap).map(([disk, file]) => ({ disk, ...file }));
  return (
    <View title={name}>
      <ResourceTabs kind="backingimages" resource={image}>
        <DescriptionList isCompact>
          {factsOf(image, text).map(([term, value]) => (
            <DescriptionListGroup key={term}>
              <DescriptionListTerm>{term}</DescriptionListTerm>
              <DescriptionListDescription>{value}</DescriptionListDescription>
            </DescriptionListGroup>
          ))}
        </DescriptionList>
        <Part title={text('image.files')}>
          <Rows
            label={text('image.files')}
            rows={files}
            columns={[
              { title: text('column.disk'), cell: ({ disk }) => disk },
              { title: text('column.state'), cell: ({ state, message }) => <FileState state={state} message={message} /> },
              { title: text('column.progress'), cell: ({ state, progress }) => (state === 'in-progress' ? `${progress} %` : '') },
            ]}
            keyOf={({ disk }) => disk}
          />
        </Part>
        <YamlPart plural="backingimages" resource={image} canWrite={canWrite} />
      </ResourceTabs>
    </View>
  );
}
