package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.lvm.blobs.SharedAccess;
import dev.holdfast.engine.lvm.internal.forward.RemoteVolumeLinks;
import dev.holdfast.error.StorageException;

/** Means by which a node works with the others on shared groups; they may be away for a time. */
interface GroupSharing {
  /** Returns the means. While one is away, calls that need it fail with UNREACHABLE. */
  SharedAccess access();

  /** Returns the way to volumes that other nodes have open, in groups of one node too. */
  RemoteVolumeLinks volumes();

  /**
   * Checks that all means are there.
   *
   * @param group that needs them, for the message
   * @throws StorageException UNREACHABLE naming what is missing
   */
  void require(String group) throws StorageException;
}
