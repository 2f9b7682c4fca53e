package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** A volume to which a replica can be added, or can return, during use. */
@ConsumerType
public interface RebuildableVolume extends OpenVolume {

  /**
   * Starts the rebuild of a replica that returned or was provisioned empty. From then on the
   * replica receives all writes. It is {@link MemberMode#WO} until it is complete, and then {@link
   * MemberMode#RW}. Returns when the replica is a target; the copy runs in the background. An
   * interrupted rebuild resumes at its last position.
   *
   * @param target the replica, not null
   * @param options limit of the rate, not null
   * @return the running rebuild, never null
   * @throws StorageException BUSY while another replica is rebuilt or another structural operation
   *     excludes it; CONFLICT when the replica belongs to another volume or has a history unknown
   *     to this volume; UNREACHABLE; NO_SPACE; IO
   */
  Rebuild rebuild(ReplicaLocation target, RebuildOptions options) throws StorageException;
}
