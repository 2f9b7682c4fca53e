// Derived states of backing images for the views.
import type { BackingImage, Volume } from '../api/types';

/** Returns whether no disk has a usable file. */
export function isUnavailable({ status }: BackingImage): boolean {
  const files = Object.values(status.diskFileStatusMap);
  return files.length > 0 && files.every(({ state }) => state === 'failed');
}

/** Returns whether a replica of a volume on the image exists. */
export function isUsed({ metadata }: BackingImage, volumes: Volume[]): boolean {
  return volumes.some(({ spec, status }) => spec.backingImage === metadata.name && status.replicas.length > 0);
}

/** State of the request to remove the file of an image from a disk. */
export type CleanUpState = 'waiting' | 'removing' | 'removed' | 'kept';

/** Returns the state of the request. An image controller withdraws it if a replica needs the file. */
export function cleanUpState({ spec, status }: BackingImage, disk: string): CleanUpState {
  const copies = Object.keys(spec.diskFileSpecMap);
  if (spec.cleanupDisks.includes(disk)) {
    // The minimum number of copies stays, so the request waits for another copy.
    return copies.includes(disk) && copies.length <= spec.minNumberOfCopies ? 'waiting' : 'removing';
  }
  if (copies.includes(disk)) {
    return 'kept';
  }
  return disk in status.diskFileStatusMap ? 'removing' : 'removed';
}
