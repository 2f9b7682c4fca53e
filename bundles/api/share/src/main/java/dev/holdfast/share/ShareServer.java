package dev.holdfast.share;

import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Server of shares on this node. Register an implementation as an OSGi service; the node has at
 * most one for each protocol.
 *
 * <p>A server owns the path from the volume's endpoint to the export:
 *
 * <pre>
 *   endpoint ──► device ──► LUKS mapping ──► filesystem ──► mount ──► server process ──► export
 *               initiator   if encrypted     made on a      checked    own folder, address, port
 *                                            blank device    first
 * </pre>
 *
 * <p><b>Life.</b> Server processes outlive the container and this service. A starting service finds
 * them by their state files, and a stopping service leaves them running. Replacing the bundle
 * therefore does not interrupt clients.
 *
 * <p><b>Calls.</b> The platform makes one call at a time for one volume, and calls for different
 * volumes in parallel. Only {@link #expel} may run concurrently with another call for the same
 * volume, which then ends with CONFLICT as soon as possible. Every call is idempotent, because the
 * platform may crash between any two steps: a call completes work that was partly done. Calls wait
 * for a process or a device only within their time limit and then throw TIMEOUT. Work that may hang
 * in the kernel runs in a child process, which is abandoned after the limit.
 *
 * <p><b>Epochs.</b> The platform requests a higher epoch only after it was recorded. A server first
 * removes a share with a lower epoch, as {@link #expel} does. A request with a lower epoch than the
 * present one throws CONFLICT and has no effect.
 *
 * @since 1.0
 */
@ConsumerType
public interface ShareServer extends LocalShares {

  /** Returns the protocol, as in {@link ShareManagerSpec#protocol}, for example {@code nfs}. */
  String protocol();

  /**
   * Returns the missing packages of this host.
   *
   * @param request for the needs of one share, such as cryptsetup for an encrypted volume; empty
   *     for the needs of every share
   * @return names of Debian packages, sorted; empty if none is missing, never null
   * @throws StorageException when the host cannot be examined
   */
  List<String> missingPackages(Optional<ShareRequest> request) throws StorageException;

  /**
   * Makes a share usable for clients, from any state: absent, after a crash at any point, with a
   * dead or hanging process, or with other settings. Running parts stay. A filesystem is made only
   * on a blank device; an existing one is checked, mounted and grown to the device. The export is
   * present and accepts clients when the call returns.
   *
   * <p>A restart of the process on the same node and a change of allowed clients keep the locks and
   * the mounts of clients. A change of address, port, lease or grace restarts the process.
   *
   * @param request what to serve
   * @param limit longest time
   * @throws StorageException CONFLICT for a lower epoch; UNSUPPORTED when packages are missing;
   *     BUSY with the user when the address, the port or the device is in use; INVALID for a wrong
   *     key, a filesystem of another type that cannot be mounted, or an interface that is absent;
   *     TIMEOUT; IO. The message has the remedy
   */
  void start(ShareRequest request, Duration limit) throws StorageException;

  /**
   * Observes a share without changes. The write probe writes one file that clients do not see, in a
   * child process that is abandoned if it hangs.
   *
   * @param request the expected share
   * @param limit longest time; components that do not answer in time are reported as not answering
   * @return never null; {@link ShareObservation#NOTHING} if the node has no part of the share under
   *     this epoch
   * @throws StorageException when the host cannot be examined
   */
  ShareObservation observe(ShareRequest request, Duration limit) throws StorageException;

  /**
   * Stops a share in order: the export or the process, the mount, the LUKS mapping, the device, the
   * floating address, and the share's folder. Succeeds if the share is absent.
   *
   * @param instance the share to stop; a present higher epoch remains and causes CONFLICT
   * @param how whether clients receive an error or wait for the next server
   * @param limit longest time; remaining parts are then removed by force, as {@link #expel} does,
   *     in a bounded time
   * @throws StorageException BUSY when other processes use the mount: the message names them, and
   *     the mount remains until they end; CONFLICT; IO
   */
  void stop(ShareInstance instance, ShareStop how, Duration limit) throws StorageException;

  /**
   * Repairs the filesystem once: stops the process without an error for clients, unmounts, checks,
   * mounts and starts again. Used for a filesystem that an error made read-only.
   *
   * @param request the share
   * @param limit longest time
   * @throws StorageException as {@link #start}; IO when the check cannot repair the filesystem
   */
  void repair(ShareRequest request, Duration limit) throws StorageException;

  /**
   * Grows the LUKS mapping and the mounted filesystem to the size of the device while clients use
   * the share. Succeeds if they already have that size.
   *
   * @param request the share
   * @throws StorageException INVALID when the share is not mounted; IO
   */
  void grow(ShareRequest request) throws StorageException;

  /**
   * Reports the unused blocks of the filesystem to the volume. First checks that the mount belongs
   * to the volume's device. May take minutes; {@link #observe} may be called concurrently.
   *
   * @param request the share
   * @return number of reported bytes
   * @throws StorageException INVALID when the share is not mounted or the mount has another device;
   *     IO
   */
  long trim(ShareRequest request) throws StorageException;
}
