package dev.holdfast.engine;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.error.StorageException;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A volume that keeps earlier contents. Calls block, are idempotent, and exclude each other and
 * other structural operations; requests to the device continue, but for a pause of milliseconds.
 */
@ConsumerType
public interface SnapshotVolume extends OpenVolume {

  /**
   * Keeps the content of this moment, the same on all replicas, durable when this returns. Contains
   * every request that completed before the call. Succeeds without effect when a snapshot of this
   * name is there.
   *
   * @param request what to make, not null
   * @return the snapshot, never null
   * @throws StorageException NO_SPACE; BUSY while another structural operation excludes it; INVALID
   *     when the volume has as many snapshots as it may have; IO
   */
  SnapshotInfo createSnapshot(SnapshotRequest request) throws StorageException;

  /**
   * Prepares a snapshot that is to be taken while requests are held: does beforehand what may wait
   * for anything but the replicas. After a crash before the preparation is closed, the snapshot may
   * or may not be there.
   *
   * @param request what to make, not null
   * @return to be closed, never null; by default it calls {@link #createSnapshot}
   * @throws StorageException as {@link #createSnapshot}
   * @since 2.1
   */
  default Prepared prepareSnapshot(SnapshotRequest request) throws StorageException {
    return new Prepared() {
      @Override
      public SnapshotInfo take() throws StorageException {
        return createSnapshot(request);
      }

      @Override
      public void close() {}
    };
  }

  /**
   * Lists the snapshots, parents before children, those that wait to be coalesced included.
   *
   * @return never null
   * @throws StorageException IO when no replica can be asked
   */
  List<SnapshotInfo> snapshots() throws StorageException;

  /**
   * Gives a snapshot up. It is marked as removed at once; its data is coalesced in the background,
   * as soon as the chain allows it, also after a restart. Succeeds when there is none of this name.
   *
   * @param name of the snapshot, not null
   * @throws StorageException BUSY; IO
   */
  void deleteSnapshot(String name) throws StorageException;

  /**
   * Makes the live content that of a snapshot. What was written since is lost. The caller sees to
   * it that no host uses the device during the call.
   *
   * @param name of the snapshot, not null
   * @throws StorageException NOT_FOUND; BUSY; IO
   */
  void revert(String name) throws StorageException;

  /**
   * Starts to coalesce the snapshots that are marked as removed, and returns.
   *
   * @throws StorageException BUSY; IO
   */
  void purge() throws StorageException;

  /**
   * Opens a snapshot for reading.
   *
   * @param name of the snapshot, not null
   * @return a device that refuses changes with UNSUPPORTED, never null; while it is open the
   *     snapshot is not coalesced; the caller closes it
   * @throws StorageException NOT_FOUND; IO
   */
  BlockDevice openSnapshot(String name) throws StorageException;

  /**
   * Tells where two contents may differ: data extents are those that differ, holes are equal.
   *
   * <p>Since nothing and since the base are different questions for a volume that stands on a base
   * (see {@link BaseEngine}): compared with zeroes the data of the base counts, compared with
   * {@link SnapshotInfo#BASE} only what was written above it, zeroes included.
   *
   * @param older name of the older snapshot, which must be an ancestor of the newer. Empty to
   *     compare with a volume of zeroes: the data extents are those allocated, in the base too.
   *     {@link SnapshotInfo#BASE} to compare with the base, or with zeroes where there is none;
   *     since 2.2, of an engine with {@link EngineCapability#BASES}.
   * @param newer name of the newer snapshot, or {@link SnapshotInfo#HEAD} for the live content
   * @param visitor called in ascending order without gaps, in multiples of 4096 bytes, may stop
   *     early, not null
   * @throws StorageException NOT_FOUND; INVALID when one is not an ancestor of the other; IO
   */
  void changes(String older, String newer, ExtentVisitor visitor) throws StorageException;

  /**
   * A prepared snapshot, to be taken while the volume's requests are held. For one thread. Until it
   * is closed, other structural operations of the volume wait or fail with BUSY.
   *
   * @since 2.1
   */
  @ConsumerType
  interface Prepared extends AutoCloseable {

    /**
     * Takes the snapshot. Needs the replicas and nothing else of the cluster, so that a store that
     * is away does not keep requests held.
     *
     * @return the snapshot, durable on all replicas, never null
     * @throws StorageException as {@link #createSnapshot}
     */
    SnapshotInfo take() throws StorageException;

    /**
     * Ends the operation, and withdraws it if the snapshot was not taken. May wait for the store:
     * to be called when no request is held. Idempotent.
     *
     * @throws StorageException when the operation could not be ended; the next opening ends it
     */
    @Override
    void close() throws StorageException;
  }
}
