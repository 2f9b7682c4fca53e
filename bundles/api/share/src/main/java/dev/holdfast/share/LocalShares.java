package dev.holdfast.share;

import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Shares of a node, known by what it wrote beside them. These calls need nothing of the store, so a
 * node that does not reach the store can find, judge and remove its servers. {@link ShareServer}
 * has the rules for calls and epochs.
 *
 * @since 1.0
 */
@ConsumerType
public interface LocalShares {

  /**
   * Returns everything that this node has of shares, from processes and state files, also of shares
   * that the store does not know.
   *
   * @return one for each volume; never null
   * @throws StorageException when the host cannot be examined
   */
  List<ShareInstance> instances() throws StorageException;

  /**
   * Writes one file as {@link ShareServer#observe} does, and needs nothing of the store for it. A
   * write that is durable shows that no other node has opened the volume: so a node that does not
   * reach the store learns by it whether its server may stay. May come while another call for the
   * same volume runs.
   *
   * @param instance whose filesystem is written
   * @param limit longest time
   * @return never null; FAILED also when the device is lost, NOT_MOUNTED when the node has nothing
   *     of the share under this epoch
   * @throws StorageException when the host cannot be examined
   */
  WriteProbe probe(ShareInstance instance, Duration limit) throws StorageException;

  /**
   * Removes by force what a node has of a share that another node serves now, or whose device is
   * lost: kills the process with SIGKILL, removes the floating address, detaches the mount and the
   * device. Clients must not stay with this server. Succeeds when nothing is there. Takes at most
   * 10 s, also when the device does not answer; a process that the kernel holds is left.
   *
   * @param instance what to remove; a higher epoch that is present stays and throws CONFLICT
   * @throws StorageException TIMEOUT, IO: the platform repeats the call
   */
  void expel(ShareInstance instance) throws StorageException;
}
