package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * An engine that keeps replicas on something other than a directory of one node. Every other engine
 * has {@link DiskKind#DIRECTORY}, {@link ReplicaTopology#NODE_REPLICAS} and {@link
 * Fencing#REPLICAS}.
 *
 * <p>The calls about disks are made only for the kinds that are declared, and never for
 * directories: the platform identifies and measures those itself. They come from the node that
 * {@link DiskLocation#nodeId()} names, one at a time for each disk, also while volumes on the disk
 * are open. All are idempotent. They return within seconds.
 *
 * <p>On a disk that several nodes see, the calls about replicas may come from each of them, at the
 * same time too. {@link #deleteReplica} fails with BUSY while a volume has the replica open on any
 * node.
 *
 * @since 2.1
 */
@ConsumerType
public interface DiskEngine extends EngineProvider {

  /** Returns the kinds of disks on which this engine can keep replicas, never null, not empty. */
  Set<DiskKind> diskKinds();

  /** Returns how many replicas a volume has and where they are, never null. */
  ReplicaTopology topology();

  /** Returns what keeps an earlier opening from writing, never null. */
  Fencing fencing();

  /**
   * Looks at a disk without changing it.
   *
   * @param disk where it is, not null
   * @return what is known of a disk that this engine uses; empty for a blank disk
   * @throws StorageException INVALID when the disk holds something else, naming what was found;
   *     NOT_FOUND when there is no such disk; BUSY when another program uses it; IO
   */
  Optional<DiskInfo> inspectDisk(DiskLocation disk) throws StorageException;

  /**
   * Takes a blank disk into use; succeeds without effect when this engine uses it already. Durable
   * when this returns.
   *
   * @param disk where it is, not null
   * @return what is known of it, never null
   * @throws StorageException INVALID, naming what was found, when the disk holds anything else,
   *     which is left untouched; NOT_FOUND when there is no such disk; BUSY; NO_SPACE when it is
   *     too small; IO
   */
  DiskInfo prepareDisk(DiskLocation disk) throws StorageException;

  /**
   * Stops using a disk on this node. Replicas stay on it, and other nodes continue to use it.
   * Succeeds when this node does not use it.
   *
   * @param disk where it is, not null
   * @throws StorageException BUSY while a volume on it is open here; IO
   */
  void releaseDisk(DiskLocation disk) throws StorageException;
}
