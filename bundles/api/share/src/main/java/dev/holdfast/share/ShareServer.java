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
 * <p>A server owns the way from the volume's endpoint to the export:
 *
 * <pre>
 *   endpoint ──► device ──► LUKS mapping ──► filesystem ──► mount ──► server process ──► export
 *               initiator   if encrypted     made on a      checked    own folder, address, port
 *                                            blank device    first
 * </pre>
 *
 * <p><b>Life.</b> Server processes outlive the container and this service. A service that starts
 * finds them again by what it wrote beside them, and a service that stops leaves them alone. So
 * replacing the bundle interrupts no client.
 *
 * <p><b>Calls.</b> The platform makes one call at a time for one volume, and calls for different
 * volumes in parallel. Only {@link #expel} may come while another call for the same volume runs,
 * which then ends with CONFLICT as soon as it can. Every call is idempotent, because the platform
 * crashes between any two steps: a call that finds its work done, or done in part, completes it. No
 * call waits for a process or a device without a bound: a call that does not end in the given time
 * throws TIMEOUT. Work that the kernel holds up is left to a child process that is abandoned.
 *
 * <p><b>Epochs.</b> The platform asks for a higher epoch only after it was recorded. A server that
 * has a share under a lower epoch removes that first, as {@link #expel} does. A request with a
 * lower epoch than the one that is present throws CONFLICT and changes nothing.
 *
 * @since 1.0
 */
@ConsumerType
public interface ShareServer extends LocalShares {

  /** Returns the protocol, as in {@link ShareManagerSpec#protocol}, for example {@code nfs}. */
  String protocol();

  /**
   * Returns the packages that this host lacks.
   *
   * @param request for the needs of one share, such as cryptsetup for an encrypted volume; empty
   *     for the needs of every share
   * @return names of Debian packages, sorted; empty when nothing is missing, never null
   * @throws StorageException when the host cannot be examined
   */
  List<String> missingPackages(Optional<ShareRequest> request) throws StorageException;

  /**
   * Brings a share to the state in which clients can use it: from nothing, from a crash at any
   * point, from a dead process or one that does not answer, or with other settings. What serves
   * already stays. A filesystem is made only on a blank device; an existing one is checked, mounted
   * and grown to the device. The export is present and accepts clients when the call returns.
   *
   * <p>Neither a restart of the process in place nor a change of allowed clients ends the locks or
   * the mounts of clients. A change of address, port, lease or grace restarts the process.
   *
   * @param request what to serve
   * @param limit longest time
   * @throws StorageException CONFLICT for a lower epoch; UNSUPPORTED when packages are missing;
   *     BUSY when the address, the port or the device is in use, naming the user of it; INVALID for
   *     a wrong key, a filesystem of another type that cannot be mounted, or an interface that is
   *     absent; TIMEOUT; IO. The message has the remedy
   */
  void start(ShareRequest request, Duration limit) throws StorageException;

  /**
   * Looks at a share, and changes nothing. The write probe writes one file that clients do not see,
   * in a child process that is abandoned when it does not end.
   *
   * @param request what is to be served
   * @param limit longest time; whatever does not answer in time is reported as not answering
   * @return never null; {@link ShareObservation#NOTHING} when the node has nothing of the share
   *     under this epoch
   * @throws StorageException when the host cannot be examined
   */
  ShareObservation observe(ShareRequest request, Duration limit) throws StorageException;

  /**
   * Ends a share in order: the export or the process, the mount, the LUKS mapping, the device, the
   * floating address, and the share's folder. Succeeds when nothing is there.
   *
   * @param instance what to stop; a higher epoch that is present stays and throws CONFLICT
   * @param how whether clients receive an error or wait for the next server
   * @param limit longest time. What is still there then is removed by force, as {@link #expel}
   *     does, in a bounded time
   * @throws StorageException BUSY when other processes use the mount: the message names them, and
   *     the mount stays until they end; CONFLICT; IO
   */
  void stop(ShareInstance instance, ShareStop how, Duration limit) throws StorageException;

  /**
   * Repairs the filesystem once: ends the process without an error for clients, unmounts, checks,
   * mounts and starts again. The remedy for a filesystem that became read-only by an error.
   *
   * @param request what is served
   * @param limit longest time
   * @throws StorageException as {@link #start}; IO when the check cannot repair the filesystem
   */
  void repair(ShareRequest request, Duration limit) throws StorageException;

  /**
   * Grows the LUKS mapping and the mounted filesystem to the size of the device while clients use
   * the share. Succeeds when nothing is to be grown.
   *
   * @param request what is served
   * @throws StorageException INVALID when the share is not mounted; IO
   */
  void grow(ShareRequest request) throws StorageException;

  /**
   * Reports the unused blocks of the filesystem to the volume. Checks that the mount is the
   * volume's device first. May take minutes, while {@link #observe} is called.
   *
   * @param request what is served
   * @return bytes that were reported
   * @throws StorageException INVALID when the share is not mounted or the mount has another device;
   *     IO
   */
  long trim(ShareRequest request) throws StorageException;
}
