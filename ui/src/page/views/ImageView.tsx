import { useLive } from '../api/live';
import type { BackingImage } from '../api/types';
import { ResourceTabs } from '../contributions/Contributed';
import { Facts } from '../parts/InfoDialog';
import { Rows } from '../parts/Rows';
import { Part, View } from '../parts/View';
import { YamlPart } from '../parts/YamlPart';
import { useText, type TextFunction } from '../text/text';
import { DiskFiles, filesOf } from './DiskFiles';

/** Returns the terms and values of an image. Includes the expected checksum only if it is set. */
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

/** All details of one backing image. */
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
  return (
    <View title={name}>
      <ResourceTabs kind="backingimages" resource={image}>
        <Facts facts={factsOf(image, text)} />
        <Part title={text('image.files')}>
          <DiskFiles files={filesOf(image)} />
        </Part>
        <YamlPart plural="backingimages" resource={image} canWrite={canWrite} />
      </ResourceTabs>
    </View>
  );
}
