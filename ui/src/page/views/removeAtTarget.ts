import { edit, remove } from '../api/client';
import type { Kinds, Resource } from '../api/types';

const FINALIZER = 'holdfast.dev/backup-data';
const DISCOVERED = 'holdfast.dev/discovered';

/** Kinds whose resources stand for what a target keeps. */
type AtTarget = 'backups' | 'backupvolumes' | 'systembackups';

/**
 * Deletes what a resource stands for at its target. A scan makes resources without the finalizer that this needs, because
 * such a resource is only a copy of what the target tells.
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
