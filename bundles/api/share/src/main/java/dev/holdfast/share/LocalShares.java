package dev.holdfast.share;

import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Shares of a node, found by their state files. These calls do not use the store, so that a node
 * without access to the store can find, check and remove its servers. {@link ShareServer} describes
 * the rules for calls and epochs.
 *
 * @since 1.0
 */
@ConsumerType
public interface LocalShares {

  /**
   * Returns the parts of shares on this node, from processes and state files, including shares that
   * the store does not contain.
   *
   * @return one for each volume; never null
   * @throws StorageException when the host cannot be examined
   */
  List<ShareInstance> instances() throws StorageException;

  /**
   * Writes one file as {@link ShareServer#observe} does, without the store. A durable write proves
   * that another node has not opened the volume. A node without access to the store thus decides
   * whether its server may continue. May run concurrently with another call for the same volume.
   *
   * @param instance the share whose filesystem is written
   * @param limit longest time
   * @return never null; FAILED also when the device is lost, NOT_MOUNTED when the node has no part
   *     of the share under this epoch
   * @throws StorageException when the host cannot be examined
   */
  WriteProbe probe(ShareInstance instance, Duration limit) throws StorageException;

  /**
   * Removes by force the parts of a share that another node now serves or whose device is lost.
   * Kills the process with SIGKILL, removes the floating address, and detaches the mount and the
   * device, because clients must leave this server. Succeeds if the share is absent. Takes at most
   * 10 s, also when the device does not answer; a process that the kernel holds remains.
   *
   * @param instance the share to remove; a present higher epoch remains and causes CONFLICT
   * @throws StorageException TIMEOUT, IO: the platform repeats the call
   */
  void expel(ShareInstance instance) throws StorageException;
}
