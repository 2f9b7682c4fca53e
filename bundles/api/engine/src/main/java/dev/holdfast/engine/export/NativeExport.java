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
 * A volume as its engine shows it to hosts. Calls block, and may come from any thread. They fail
 * with IO once the opening has ended.
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
   * Returns where hosts find it, the preferred path first; never null. The same across a hand-over,
   * an adoption and a restart of the process that serves it. {@link EngineListener#exportChanged}
   * reports every other change.
   */
  List<URI> endpoints();

  /**
   * Stops requests of hosts without an error: those in flight end, later ones wait. Between the
   * return of this call and the end of the hold, no host changes the volume. Hosts that connect
   * during the hold may wait, too. The device is not affected.
   *
   * @param drain the longest time to wait for requests in flight, positive, not null
   * @return the hold, never null; the caller closes it. It ends with the opening, too
   * @throws StorageException TIMEOUT when requests in flight did not end: the export is as before;
   *     BUSY when it is held already; IO
   */
  ExportHold hold(Duration drain) throws StorageException;

  /**
   * Sets the limits, also while hosts use the export.
   *
   * @param limits the new ones, which replace all earlier ones, not null
   * @throws StorageException UNSUPPORTED, naming the limit that cannot be kept: the earlier ones
   *     stay in force; BUSY while the export is held; IO
   */
  void limit(ExportLimits limits) throws StorageException;

  /**
   * Sets the access state of this path.
   *
   * @param access the new one, not null
   * @throws StorageException UNSUPPORTED when the protocol does not have this state: the earlier
   *     one stays; BUSY while the export is held; IO
   */
  void access(PathAccess access) throws StorageException;

  /**
   * Returns what hosts did since the process that serves the export was started; never null. Empty
   * when that process does not count requests.
   *
   * @throws StorageException BUSY while the export is held, if it cannot be asked then; IO
   */
  Optional<ExportStatistics> statistics() throws StorageException;

  /**
   * Withdraws the export: when this returns, no request of a host reaches the volume, and hosts are
   * disconnected. The device stays open. Ends a hold. Idempotent.
   *
   * @throws StorageException IO or TIMEOUT when it is not known to be withdrawn: call it again
   */
  @Override
  void close() throws StorageException;
}
