import { edit, list, patch, remove, tryRemove } from '../api/client';
import { bytesOf } from '../api/quantity';
import type { DeletedVolume, Volume } from '../api/types';
import type { TextFunction } from '../text/text';

/** Annotation of a restored volume: uid of the resource that kept its content. */
const UNDELETED = 'holdfast.dev/undeleted';

/** Returns whether the content is being removed. */
export function isBeingPurged({ metadata, status }: DeletedVolume): boolean {
  return metadata.deletionTimestamp !== undefined || status.state === 'purging';
}

function isRestoring({ status }: DeletedVolume): boolean {
  return status.state === 'restoring';
}

/** Returns whether a volume is neither the deleted one nor restored from it. */
function isAnother({ metadata }: Volume, deleted: DeletedVolume): boolean {
  return metadata.uid !== deleted.spec.volumeUID && metadata.annotations?.[UNDELETED] !== deleted.metadata.uid;
}

/** Label of the resources that belong to a volume. */
const VOLUME_LABEL = 'holdfast.dev/volume';

/** Number of names in one selector, which keeps the address within the limit of the server. */
const MOST_NAMES = 20;

/** Returns the bytes that the kept content of deleted volumes uses on all disks. Each copy counts; a witness has no data. */
export async function spaceOf(deleted: DeletedVolume[]): Promise<number> {
  const parts = Array.from({ length: Math.ceil(deleted.length / MOST_NAMES) }, (_none, index) =>
    deleted.slice(index * MOST_NAMES, (index + 1) * MOST_NAMES),
  );
  const lists = await Promise.all(
    parts.map((part) => list('replicas', { labelSelector: `${VOLUME_LABEL} in (${part.map(({ metadata }) => metadata.name).join(',')})` })),
  );
  const sizes = new Map(deleted.map(({ metadata, spec }) => [metadata.uid, bytesOf(spec.actualSize) ?? 0]));
  return lists
    .flatMap(({ items }) => items)
    .filter(({ spec }) => !spec.witness)
    .flatMap(({ metadata }) => metadata.ownerReferences ?? [])
    .reduce((sum, { uid }) => sum + (sizes.get(uid) ?? 0), 0);
}

/** Returns the deleted volume whose content is removed next. Volumes whose removal or restore has begun do not count. */
export function nextPurge(deleted: DeletedVolume[]): DeletedVolume | undefined {
  const timeOf = ({ spec }: DeletedVolume) => Date.parse(spec.purgeAt ?? '');
  return deleted
    .filter((each) => !isBeingPurged(each) && !isRestoring(each) && !Number.isNaN(timeOf(each)))
    .sort((a, b) => timeOf(a) - timeOf(b))[0];
}

/** Returns why the deletion cannot be undone now; undefined if it can. */
export function whyNotUndelete(deleted: DeletedVolume, volumes: Volume[], text: TextFunction): string | undefined {
  const { name } = deleted.metadata;
  if (isBeingPurged(deleted)) {
    return text('deleted.isPurged');
  }
  if (isRestoring(deleted)) {
    return text('deleted.isRestored');
  }
  const other = volumes.find(({ metadata }) => metadata.name === name);
  return other && isAnother(other, deleted) ? text('deleted.nameTaken', { name }) : undefined;
}

/** Returns why the content cannot be removed now; undefined if it can. */
export function whyNotPurge(deleted: DeletedVolume, text: TextFunction): string | undefined {
  if (isBeingPurged(deleted)) {
    return text('deleted.isPurged');
  }
  return isRestoring(deleted) ? text('deleted.isRestored') : undefined;
}

/** Undoes the deletion of a volume, unless the removal of its content has begun since it was shown. */
export function undelete({ metadata: { name, uid } }: DeletedVolume, text: TextFunction): Promise<unknown> {
  return edit('deletedvolumes', name, (now) => {
    if (isBeingPurged(now) || now.metadata.uid !== uid) {
      throw new Error(text('deleted.isPurged'));
    }
    return { spec: { undelete: true } };
  });
}

/** Removes the content before the end of the grace period. */
export function purge({ metadata }: DeletedVolume): Promise<void> {
  return remove('deletedvolumes', metadata.name, metadata.uid);
}

/** A grace period of zero in any unit. */
const AT_ONCE = /^0+[smhd]$/;

export function isAtOnce(grace: string | undefined): boolean {
  return grace !== undefined && AT_ONCE.test(grace);
}

/** Returns whether the content of a volume is still at its source: an incomplete copy or restore, or a standby volume. */
function isAtSource({ spec, status }: Volume): boolean {
  const isAwaited = (state: string) => !['completed', 'copy-completed-awaiting-healthy'].includes(state);
  const isStandby = status.standby.state === '' ? spec.standby : status.standby.state !== 'activated';
  return (
    isStandby ||
    (spec.cloneSource !== undefined ? isAwaited(status.cloneStatus.state) : spec.fromBackup !== '' && isAwaited(status.restore.state))
  );
}

/** Returns for how long the content of a volume is kept after its deletion; undefined if that is unknown. */
export function graceOf(volume: Volume, setting: string | undefined): string | undefined {
  return isAtSource(volume) ? '0s' : volume.spec.deletionGrace || setting;
}

/** Deletes a volume. Its content is kept for the grace period or removed at once. */
export async function deleteVolume({ metadata: { name, uid } }: Volume, atOnce: boolean): Promise<void> {
  if (atOnce) {
    // If the deletion is refused, the grace period must not change, because the next deletion would lose the content.
    await tryRemove('volumes', name, uid);
    await patch('volumes', name, { spec: { deletionGrace: '0s' } });
  }
  await remove('volumes', name, uid);
}
