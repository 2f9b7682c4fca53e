package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * An engine that can keep replicas outside of directories of one node. All other engines have
 * {@link DiskKind#DIRECTORY}, {@link ReplicaTopology#NODE_REPLICAS} and {@link Fencing#REPLICAS}.
 *
 * <p>The platform makes the calls about disks only for declared kinds and never for directories,
 * which it identifies and measures itself. The node that {@link DiskLocation#nodeId()} names makes
 * the calls, one at a time for each disk, also while volumes on the disk are open. All calls are
 * idempotent and return within seconds.
 *
 * <p>If several nodes see a disk, each of them may make calls about replicas, also concurrently.
 * {@link #deleteReplica} fails with BUSY while a volume has the replica open on any node.
 *
 * @since 2.1
 */
@ConsumerType
public interface DiskEngine extends EngineProvider {

  /** Returns the kinds of disks on which this engine can keep replicas, never null, not empty. */
  Set<DiskKind> diskKinds();

  /** Returns the number and the places of a volume's replicas, never null. */
  ReplicaTopology topology();

  /** Returns the mechanism that keeps an earlier opening from writing, never null. */
  Fencing fencing();

  /**
   * Inspects a disk without changes.
   *
   * @param disk place of the disk, not null
   * @return properties of a disk that this engine uses; empty for a blank disk
   * @throws StorageException INVALID when the disk contains other data, with a description of that
   *     data; NOT_FOUND when the disk does not exist; BUSY when another program uses it; IO
   */
  Optional<DiskInfo> inspectDisk(DiskLocation disk) throws StorageException;

  /**
   * Initializes a blank disk. Succeeds without effect when this engine already uses the disk.
   * Durable when this returns.
   *
   * @param disk place of the disk, not null
   * @return properties of the disk, never null
   * @throws StorageException INVALID when the disk contains other data, with a description of that
   *     data, which stays unchanged; NOT_FOUND when the disk does not exist; BUSY; NO_SPACE when it
   *     is too small; IO
   */
  DiskInfo prepareDisk(DiskLocation disk) throws StorageException;

  /**
   * Stops using a disk on this node. Replicas stay on it, and other nodes continue to use it.
   * Succeeds when this node does not use the disk.
   *
   * @param disk place of the disk, not null
   * @throws StorageException BUSY while this node has a volume on the disk open; IO
   */
  void releaseDisk(DiskLocation disk) throws StorageException;
}
