package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** A volume that can remove a current replica during use. */
@ConsumerType
public interface ReducibleVolume extends OpenVolume {

  /**
   * Removes a replica from the members. When this method returns, the epoch without the replica is
   * durable, the replica is {@link MemberMode#ERR}, and its data may be deleted. Succeeds without
   * effect if the replica is not a member. Blocks.
   *
   * @param replica name of the replica, not null
   * @throws StorageException CONFLICT when no other current replica would remain; BUSY while
   *     another structural operation excludes it, or while the replica is rebuilt; UNREACHABLE when
   *     the change cannot be recorded
   */
  void removeReplica(String replica) throws StorageException;
}
