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
 * run, whether it was stopped or killed. Every open volume is an {@link ExportingVolume}.
 *
 * @since 1.0
 */
@ConsumerType
public interface LastingExportEngine extends EngineProvider {

  /**
   * Returns the generation in which an earlier process of this node left a volume being served.
   * Changes nothing.
   *
   * @param replica one of the volume that is on this node, not null
   * @return the generation, empty when nothing serves the volume; never null
   * @throws StorageException IO when it cannot be determined
   */
  OptionalLong leftServing(ReplicaLocation replica) throws StorageException;

  /**
   * Continues an opening that an earlier process left serving, in its generation: requests of hosts
   * continue during the call, and a hold that was left ends. Reads the register first and does not
   * change it. Exports are found by {@link ExportingVolume#export}; those that the caller does not
   * find again are withdrawn when the volume is closed.
   *
   * @param request as for {@link #open}, not null
   * @return the open volume, never null; the caller closes it
   * @throws StorageException CONFLICT when the register names another generation or node:
   *     everything that was left of the volume is withdrawn before; NOT_FOUND when nothing was
   *     left; UNREACHABLE or TIMEOUT when the register cannot be asked: what was left keeps
   *     serving; BUSY when the volume is open here; IO
   */
  OpenVolume adopt(OpenRequest request) throws StorageException;

  /**
   * Ends what an earlier process left serving: when this returns, no request of a host reaches the
   * replica. Succeeds when nothing was left.
   *
   * @param replica one of the volume that is on this node, not null
   * @throws StorageException BUSY when the volume is open here; IO or TIMEOUT when it is not known
   *     to be withdrawn: call it again
   */
  void withdrawLeft(ReplicaLocation replica) throws StorageException;
}
