package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** A volume to which a replica can be added, or can return, while the volume is in use. */
@ConsumerType
public interface RebuildableVolume extends OpenVolume {

  /**
   * Begins to rebuild a replica: one that returned, or one that was provisioned empty. From then on
   * the replica receives all writes. It is {@link MemberMode#WO} until it is complete, and then
   * {@link MemberMode#RW}. Returns once it is a target; the rest runs in the background. An
   * interrupted rebuild resumes where it was.
   *
   * @param target the replica, not null
   * @param options how fast, not null
   * @return the running rebuild, never null
   * @throws StorageException BUSY while another replica is rebuilt or another structural operation
   *     excludes it; CONFLICT when the replica is of another volume or has a history that this
   *     volume does not know; UNREACHABLE; NO_SPACE; IO
   */
  Rebuild rebuild(ReplicaLocation target, RebuildOptions options) throws StorageException;
}
