package dev.holdfast.engine.export;

import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineListener;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * An export of a volume that its engine serves to hosts directly. Calls block, may be made from any
 * thread, and fail with IO after the end of the opening.
 *
 * <p>An engine that declares {@link EngineCapability#HANDOVER} keeps its exports when it hands the
 * volume over: requests of hosts continue, and the engine that resumes finds the export by {@link
 * ExportingVolume#export}.
 *
 * @since 1.0
 */
@ConsumerType
public interface NativeExport extends AutoCloseable {

  /**
   * Returns the addresses of the export, preferred path first; never null. A hand-over, an adoption
   * and a restart of the serving process do not change them. {@link EngineListener#exportChanged}
   * reports every other change.
   */
  List<URI> endpoints();

  /**
   * Holds requests of hosts without an error: requests in flight end, and later ones wait. Hosts
   * cannot change the volume between the return of this call and the end of the hold. Hosts that
   * connect during the hold may wait too. The device is not affected.
   *
   * @param drain the longest time to wait for requests in flight, positive, not null
   * @return the hold, never null; the caller closes it. The end of the opening also ends it
   * @throws StorageException TIMEOUT when requests in flight did not end, and the hold was not set;
   *     BUSY when the export is already held; IO
   */
  ExportHold hold(Duration drain) throws StorageException;

  /**
   * Sets the limits, also while hosts use the export.
   *
   * @param limits the new limits, which replace all earlier ones, not null
   * @throws StorageException UNSUPPORTED with the limit that cannot be enforced, and the earlier
   *     limits remain; BUSY while the export is held; IO
   */
  void limit(ExportLimits limits) throws StorageException;

  /**
   * Sets the access state of this path.
   *
   * @param access the new state, not null
   * @throws StorageException UNSUPPORTED when the protocol does not have this state, and the
   *     earlier state remains; BUSY while the export is held; IO
   */
  void access(PathAccess access) throws StorageException;

  /**
   * Returns the requests of hosts since the start of the export's process; empty if that process
   * does not count requests; never null.
   *
   * @throws StorageException BUSY while the export is held, if the statistics are unavailable then;
   *     IO
   */
  Optional<ExportStatistics> statistics() throws StorageException;

  /**
   * Withdraws the export and disconnects hosts. When this method returns, requests of hosts no
   * longer reach the volume. The device stays open. Ends a hold. Idempotent.
   *
   * @throws StorageException IO or TIMEOUT when the withdrawal is not confirmed: call this method
   *     again
   */
  @Override
  void close() throws StorageException;
}
