package dev.holdfast.engine;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.error.StorageException;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A volume with snapshots. Calls block, are idempotent, and exclude each other and other structural
 * operations; requests to the device continue except for a pause of milliseconds.
 */
@ConsumerType
public interface SnapshotVolume extends OpenVolume {

  /**
   * Creates a snapshot of the present content, identical on all replicas and durable when this
   * method returns. It contains every request that completed before the call. Succeeds without
   * effect if a snapshot of this name exists.
   *
   * @param request the new snapshot, not null
   * @return the snapshot, never null
   * @throws StorageException NO_SPACE; BUSY while another structural operation excludes it; INVALID
   *     when the volume has reached its limit of snapshots; IO
   */
  SnapshotInfo createSnapshot(SnapshotRequest request) throws StorageException;

  /**
   * Prepares a snapshot that will be taken while requests are held. The preparation performs all
   * work that may wait for components other than the replicas. After a crash before the preparation
   * is closed, the snapshot may or may not exist.
   *
   * @param request the new snapshot, not null
   * @return the preparation, which the caller closes; never null; the default calls {@link
   *     #createSnapshot}
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
   * Lists the snapshots, parents before children, including those that wait to be coalesced.
   *
   * @return never null
   * @throws StorageException IO when all replicas are unreadable
   */
  List<SnapshotInfo> snapshots() throws StorageException;

  /**
   * Removes a snapshot. It is marked as removed at once, and its data is coalesced in the
   * background as soon as the chain permits, also after a restart. Succeeds if the snapshot is
   * absent.
   *
   * @param name of the snapshot, not null
   * @throws StorageException BUSY; IO
   */
  void deleteSnapshot(String name) throws StorageException;

  /**
   * Replaces the live content by that of a snapshot. Later writes are lost. The caller must ensure
   * that hosts do not use the device during the call.
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
   * @return a device that rejects changes with UNSUPPORTED, never null; the snapshot is not
   *     coalesced while the device is open; the caller closes it
   * @throws StorageException NOT_FOUND; IO
   */
  BlockDevice openSnapshot(String name) throws StorageException;

  /**
   * Reports the ranges in which two contents may differ: data extents may differ, holes are equal.
   *
   * <p>For a volume above a base (see {@link BaseEngine}), a comparison with zeroes includes the
   * data of the base. A comparison with {@link SnapshotInfo#BASE} includes only data written above
   * the base, also zeroes.
   *
   * @param older name of the older snapshot, which must be an ancestor of the newer. Empty to
   *     compare with a volume of zeroes: the data extents are the allocated ones, including those
   *     of the base. {@link SnapshotInfo#BASE} to compare with the base, or with zeroes without a
   *     base; since 2.2, for engines with {@link EngineCapability#BASES}.
   * @param newer name of the newer snapshot, or {@link SnapshotInfo#HEAD} for the live content
   * @param visitor called in ascending order without gaps, in multiples of 4096 bytes, may stop
   *     early, not null
   * @throws StorageException NOT_FOUND; INVALID when one is not an ancestor of the other; IO
   */
  void changes(String older, String newer, ExtentVisitor visitor) throws StorageException;

  /**
   * A prepared snapshot, which is taken while the volume's requests are held. For one thread. Until
   * it is closed, other structural operations of the volume wait or fail with BUSY.
   *
   * @since 2.1
   */
  @ConsumerType
  interface Prepared extends AutoCloseable {

    /**
     * Takes the snapshot. Uses only the replicas, so that an unreachable store does not prolong the
     * hold of requests.
     *
     * @return the snapshot, durable on all replicas, never null
     * @throws StorageException as {@link #createSnapshot}
     */
    SnapshotInfo take() throws StorageException;

    /**
     * Ends the operation, and cancels it if the snapshot was not taken. May wait for the store;
     * call it only while requests are not held. Idempotent.
     *
     * @throws StorageException when the operation could not be ended; the next opening will end it
     */
    @Override
    void close() throws StorageException;
  }
}
