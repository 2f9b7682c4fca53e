import { edit, remove } from '../api/client';
import type { Kinds, Resource } from '../api/types';

const FINALIZER = 'holdfast.dev/backup-data';
const DISCOVERED = 'holdfast.dev/discovered';

/** Kinds whose resources represent objects at a target. */
type AtTarget = 'backups' | 'backupvolumes' | 'systembackups';

/**
 * Deletes a resource and the object at its target. A scan creates resources without the finalizer that this needs, because
 * they are only copies of the target's list.
 */
export async function removeAtTarget<P extends AtTarget>(plural: P, { metadata }: Resource): Promise<void> {
  const { name, labels = {}, uid } = metadata;
  if (plural === 'backupvolumes' || DISCOVERED in labels) {
    await edit(plural, name, withFinalizer<P>);
  }
  await remove(plural, name, uid);
}

function withFinalizer<P extends AtTarget>({ metadata }: Kinds[P]): object {
  return { metadata: { finalizers: [...new Set([...(metadata.finalizers ?? []), FINALIZER])] } };
}
