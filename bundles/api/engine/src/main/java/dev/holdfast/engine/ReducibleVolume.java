package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** A volume that can give up a current replica while it is in use. */
@ConsumerType
public interface ReducibleVolume extends OpenVolume {

  /**
   * Removes a replica from the members, as a failure would, but in order: when this returns, the
   * epoch without it is durable, the replica is {@link MemberMode#ERR} and its data may be deleted.
   * Succeeds without effect when it is not a member. Blocks.
   *
   * @param replica name of the replica, not null
   * @throws StorageException CONFLICT when no other current replica would remain; BUSY while
   *     another structural operation excludes it, or while it is rebuilt; UNREACHABLE when the
   *     change cannot be recorded
   */
  void removeReplica(String replica) throws StorageException;
}
