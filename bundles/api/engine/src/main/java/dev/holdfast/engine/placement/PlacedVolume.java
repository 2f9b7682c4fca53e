package dev.holdfast.engine.placement;

import dev.holdfast.engine.OpenVolume;
import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A volume on a disk that several nodes see, of which one node at a time uses the disk for all: the
 * active node. Requests of the other nodes pass through it. Which node it is does not depend on
 * where the volume is open, because several volumes may share what is active.
 *
 * @since 2.2
 */
@ConsumerType
public interface PlacedVolume extends OpenVolume {
  /**
   * Returns the active node. Blocks; for any thread.
   *
   * @return its name, empty while no node is active; never null
   * @throws StorageException UNREACHABLE or TIMEOUT when the host or the store does not answer; IO
   */
  String activeNode() throws StorageException;

  /**
   * Makes another node the active one while the volume is in use: requests on all nodes wait until
   * it is active, and none fails. Succeeds without effect when it is active. Blocks; for any
   * thread.
   *
   * @param node its name, not null
   * @throws StorageException UNSUPPORTED when the disk belongs to one node, or each node uses it
   *     itself; UNREACHABLE when the node does not answer; BUSY naming the node that is waited for,
   *     or that holds a lock. Then the former node is active, or a repeated call completes the move
   */
  void moveTo(String node) throws StorageException;
}
