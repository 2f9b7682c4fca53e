package dev.holdfast.engine.placement;

import dev.holdfast.engine.OpenVolume;
import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A volume on a disk that several nodes see, but that only one node at a time uses: the active
 * node. It serves the requests of the other nodes. The active node does not depend on where the
 * volume is open, because several volumes may share the active resource.
 *
 * @since 2.2
 */
@ConsumerType
public interface PlacedVolume extends OpenVolume {
  /**
   * Returns the active node. Blocks; for any thread.
   *
   * @return name of the active node, empty while none is active; never null
   * @throws StorageException UNREACHABLE or TIMEOUT when the host or the store does not answer; IO
   */
  String activeNode() throws StorageException;

  /**
   * Makes another node the active one during use. Requests on all nodes wait until the node is
   * active and do not fail. Succeeds without effect if the node already is active. Blocks; for any
   * thread.
   *
   * @param node name of the new active node, not null
   * @throws StorageException UNSUPPORTED when the disk belongs to one node, or all nodes use it
   *     directly; UNREACHABLE when the node does not answer; BUSY with the node that has not
   *     answered or holds a lock. After BUSY the former node is active, or a repeated call
   *     completes the move
   */
  void moveTo(String node) throws StorageException;
}
