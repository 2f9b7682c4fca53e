package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * An engine that can make a replica with the content of another volume's snapshot without copying
 * it. Both share the blocks on their disk until one of them changes a block.
 *
 * @since 1.3
 */
@ConsumerType
public interface LinkedCloneEngine extends EngineProvider {

  /**
   * Makes a replica that reads as a snapshot of another volume, and as zeroes behind its end;
   * durable when this returns. From then on neither needs the other: each can be changed and
   * deleted as if the other were not there. Succeeds without effect when the replica was made of
   * the same content already.
   *
   * <p>The replicas of a volume are all made in this way, of the same content, or all empty: a
   * volume with others is refused (INVALID) when it is opened for the first time.
   *
   * @param replica place of the new replica, on this node, not null
   * @param sizeBytes of the volume, a multiple of 4096, at least the snapshot's size
   * @param content initial content, not null
   * @throws StorageException BUSY when the source's replica is not open on this node, or is being
   *     rebuilt; NOT_FOUND when it has no such snapshot; UNSUPPORTED when nothing can be shared
   *     between the two places; INVALID when something else is in the replica's place (which is
   *     left untouched) or the size is too small; NO_SPACE; IO
   */
  void cloneReplica(ReplicaLocation replica, long sizeBytes, SnapshotContent content)
      throws StorageException;
}
