package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * An engine that can create a replica with the content of another volume's snapshot without a copy.
 * Both share the blocks on their disk until one of them changes a block.
 *
 * @since 1.3
 */
@ConsumerType
public interface LinkedCloneEngine extends EngineProvider {

  /**
   * Creates a replica that reads as a snapshot of another volume, and as zeroes beyond its end;
   * durable when this method returns. Afterwards both volumes are independent and can be changed
   * and deleted separately. Succeeds without effect if the replica was already made from the same
   * content.
   *
   * <p>All replicas of a volume must be made from the same content, or all must be empty. The first
   * opening of any other volume fails (INVALID).
   *
   * @param replica place of the new replica, on this node, not null
   * @param sizeBytes of the volume, a multiple of 4096, at least the snapshot's size
   * @param content initial content, not null
   * @throws StorageException BUSY when the source's replica is not open on this node, or is being
   *     rebuilt; NOT_FOUND when the source lacks the snapshot; UNSUPPORTED when the two places
   *     cannot share blocks; INVALID when the replica's place contains other data (which stays
   *     unchanged) or the size is too small; NO_SPACE; IO
   */
  void cloneReplica(ReplicaLocation replica, long sizeBytes, SnapshotContent content)
      throws StorageException;
}
