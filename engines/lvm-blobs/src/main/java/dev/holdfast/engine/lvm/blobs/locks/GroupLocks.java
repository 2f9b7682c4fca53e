package dev.holdfast.engine.lvm.blobs.locks;

import dev.holdfast.error.StorageException;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Locks of shared volume groups as one host sees them. The lock daemon of LVM decides which host
 * may activate a pool; this only reads what it decided. Calls block. Thread-safe.
 */
@ProviderType
public interface GroupLocks {
  /**
   * Looks at the lock daemons and the lock space of a group, without changing them. What is missing
   * is part of the result and not an error.
   *
   * @param group name of the volume group
   * @return its locks
   * @throws StorageException NOT_FOUND when the host does not see the group; UNREACHABLE, TIMEOUT
   *     or IO when the host does not answer
   */
  LockReport inspect(String group) throws StorageException;

  /**
   * Returns the host that holds the exclusive lock of a logical volume, also when that host is dead
   * and its lock has not expired.
   *
   * @param group name of the volume group
   * @param volumeUuid uuid of the logical volume as LVM reports it; the pool has the lock of its
   *     thin volumes
   * @return the holder; empty when the lock is free
   * @throws StorageException NOT_FOUND when the group or the volume is absent; UNSUPPORTED when a
   *     program or a daemon is missing, or the lock type cannot be read; IO
   */
  Optional<LockHolder> holder(String group, String volumeUuid) throws StorageException;

  /**
   * Joins the lock space of a group. Succeeds at once when it is joined. Joining takes some
   * seconds; after a power cut of this host it takes up to 140 s with sanlock's default time-out.
   *
   * @param group name of the volume group
   * @throws StorageException NOT_FOUND; UNSUPPORTED naming what {@link #inspect} reports as
   *     missing; TIMEOUT when the lock space is not joined yet; IO
   */
  void start(String group) throws StorageException;
}
