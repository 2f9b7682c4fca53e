package dev.holdfast.engine.export;

import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.StorageException;
import java.util.OptionalLong;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * An engine whose native exports keep serving while the process that opened the volume does not
 * run, after a stop or a kill. Every open volume is an {@link ExportingVolume}.
 *
 * @since 1.0
 */
@ConsumerType
public interface LastingExportEngine extends EngineProvider {

  /**
   * Returns the generation in which an earlier process of this node left a volume exported. Has no
   * effects.
   *
   * @param replica a replica of the volume on this node, not null
   * @return the generation, empty if the volume is not exported; never null
   * @throws StorageException IO when it cannot be determined
   */
  OptionalLong leftServing(ReplicaLocation replica) throws StorageException;

  /**
   * Continues an opening whose exports an earlier process left serving, in the same generation.
   * Requests of hosts continue during the call, and a remaining hold ends. Reads the register first
   * and does not change it. The caller finds the exports by {@link ExportingVolume#export}; the
   * close of the volume withdraws the others.
   *
   * @param request as for {@link #open}, not null
   * @return the open volume, never null; the caller closes it
   * @throws StorageException CONFLICT when the register names another generation or node, after all
   *     remaining exports of the volume were withdrawn; NOT_FOUND when no exports remain;
   *     UNREACHABLE or TIMEOUT when the register cannot be reached, and remaining exports keep
   *     serving; BUSY when the volume is open here; IO
   */
  OpenVolume adopt(OpenRequest request) throws StorageException;

  /**
   * Withdraws the exports that an earlier process left serving. When this method returns, requests
   * of hosts no longer reach the replica. Succeeds if no exports remain.
   *
   * @param replica a replica of the volume on this node, not null
   * @throws StorageException BUSY when the volume is open here; IO or TIMEOUT when the withdrawal
   *     is not confirmed: call this method again
   */
  void withdrawLeft(ReplicaLocation replica) throws StorageException;
}
