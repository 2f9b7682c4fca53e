import { useQuery } from '@tanstack/react-query';
import { useLive } from '../api/live';
import { sizeText, timeLeftText } from '../api/quantity';
import { useNow } from '../parts/clock';
import { routeTo } from '../parts/route';
import { Part } from '../parts/View';
import { useText } from '../text/text';
import { isBeingPurged, nextPurge, spaceOf } from './deletions';

const SPACE_EVERY_MS = 60_000;

/** The space that the kept content of deleted volumes uses, and the next removal. Shows nothing if no content is kept. */
export function DeletedSpace() {
  const text = useText();
  const now = useNow();
  const { items, error } = useLive('deletedvolumes');
  const deleted = error ? [] : (items ?? []);
  const { data: space } = useQuery({
    queryKey: ['space', ...deleted.map(({ metadata, status }) => `${metadata.uid} ${status.state}`)],
    queryFn: () => spaceOf(deleted),
    refetchInterval: SPACE_EVERY_MS,
    enabled: deleted.length > 0,
  });
  if (deleted.length === 0) {
    return null;
  }
  const next = nextPurge(deleted);
  const purged = deleted.filter(isBeingPurged).length;
  return (
    <Part title={text('deleted.title')}>
      <p>
        <a href={routeTo('volumes')}>{text('deleted.count', { count: deleted.length })}</a>{' '}
        {space !== undefined && text('deleted.space', { size: sizeText(space) })}
      </p>
      {purged > 0 && <p>{text('deleted.purgedNow', { count: purged })}</p>}
      {next && (
        <p>
          <time dateTime={next.spec.purgeAt} title={next.spec.purgeAt}>
            {text('deleted.next', { name: next.metadata.name, left: timeLeftText(next.spec.purgeAt, now) })}
          </time>
        </p>
      )}
    </Part>
  );
}
