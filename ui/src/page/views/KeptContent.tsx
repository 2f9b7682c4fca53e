import { useQuery } from '@tanstack/react-query';
import { get } from '../api/client';
import type { Volume } from '../api/types';
import { CheckField } from '../parts/Dialog';
import { useText, type TextFunction } from '../text/text';
import { graceOf, isAtOnce } from './deletions';

const SETTING = 'deletion-grace';

function sentence(grace: string | undefined, names: string, text: TextFunction): string {
  if (grace === undefined) {
    return text('deleted.keepsSetting');
  }
  if (isAtOnce(grace)) {
    return names ? text('deleted.keepsNothingOf', { names }) : text('deleted.keepsNothing');
  }
  return names ? text('deleted.keepsSome', { grace, names }) : text('deleted.keeps', { grace });
}

interface Props {
  volumes: Volume[];
  /** Whether the content is to be removed at once. */
  atOnce: boolean;
  change: (atOnce: boolean) => void;
}

/** Shows for how long the content of volumes is kept after their deletion. Offers to remove it at once. */
export function KeptContent({ volumes, atOnce, change }: Props) {
  const text = useText();
  const { data: setting, isPending } = useQuery({ queryKey: ['settings', SETTING], queryFn: () => get('settings', SETTING) });
  if (isPending) {
    return null;
  }
  const names = new Map<string | undefined, string[]>();
  volumes.forEach((volume) => {
    const grace = graceOf(volume, setting?.spec.value);
    names.set(grace, [...(names.get(grace) ?? []), volume.metadata.name]);
  });
  const kept = [...names.keys()].some((grace) => !isAtOnce(grace));
  return (
    <>
      {atOnce ? (
        <p>{text('deleted.keepsNothing')}</p>
      ) : (
        [...names].map(([grace, those]) => <p key={grace ?? ''}>{sentence(grace, names.size > 1 ? those.join(', ') : '', text)}</p>)
      )}
      {kept && <CheckField label={text('deleted.atOnce')} value={atOnce} change={change} />}
    </>
  );
}
