package dev.holdfast.snapshot.internal;

import dev.holdfast.datapath.HeldRequests;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Barrier that makes the snapshots of a group consistent with each other.
 *
 * <pre>
 *   arrive -- all here -- prepare -- all prepared -- freeze -- all frozen
 *          -- hold the requests -- all hold -- take -- release -- thaw -- end the preparation
 * </pre>
 *
 * <p>A freeze first flushes data through the gate, so no gate is closed before all filesystems are
 * frozen. A preparation, and its end, may wait for the store, so no request is held and no
 * filesystem frozen at that time.
 *
 * <p>Once all hold, no request completes on any of the volumes until its snapshot is taken. If one
 * snapshot contains a write, the others contain all writes that were acknowledged before that write
 * was issued. A pass that no other pass joins holds no volume and leaves the barrier soon.
 * Thread-safe.
 */
final class GroupSnapshotBarrier {
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Duration patience;
  private final Duration freezing;
  private final Map<String, CyclicBarrier> meetings = new ConcurrentHashMap<>();

  GroupSnapshotBarrier() {
    this(PATIENCE, FreezeSession.FREEZING);
  }

  /**
   * Creates a barrier.
   *
   * @param patience time for which a pass waits for the other passes, and a gate for its requests
   * @param freezing longest duration of the freeze of a filesystem
   */
  GroupSnapshotBarrier(Duration patience, Duration freezing) {
    this.patience = patience;
    this.freezing = freezing;
  }

  /** Freezes the filesystem of a volume, if that is enabled; never fails. */
  interface Freeze {
    void freeze();

    /** Thaws. Returns whether the filesystem was frozen until now. */
    boolean thaw();
  }

  /** Holds the requests of a volume. */
  @FunctionalInterface
  interface Gate {
    HeldRequests hold(Duration drain) throws StorageException;
  }

  /** Prepares the snapshot of a volume. */
  @FunctionalInterface
  interface Preparation {
    SnapshotVolume.Prepared prepare() throws StorageException;
  }

  /**
   * Takes the snapshot of one volume of a group together with the others.
   *
   * @return whether the volume's filesystem was frozen all the time
   * @throws StorageException BUSY if the other passes did not arrive, and no snapshot was taken;
   *     INVALID if it failed after the other passes may have taken their snapshots, so that the
   *     group is not consistent
   */
  boolean attend(SnapshotGroup group, Preparation preparation, Freeze freeze, Gate gate)
      throws StorageException {
    CyclicBarrier meeting =
        meetings.computeIfAbsent(group.id(), id -> new CyclicBarrier(group.volumes().size()));
    try {
      await(group, meeting, patience);
      try (SnapshotVolume.Prepared prepared = prepared(meeting, preparation)) {
        await(group, meeting, patience);
        takeFrozen(group, meeting, freeze, gate, prepared);
        return freeze.thaw();
      }
    } finally {
      meetings.remove(group.id(), meeting);
    }
  }

  private void takeFrozen(
      SnapshotGroup group,
      CyclicBarrier meeting,
      Freeze freeze,
      Gate gate,
      SnapshotVolume.Prepared prepared)
      throws StorageException {
    boolean taken = false;
    try {
      freeze.freeze();
      await(group, meeting, patience.plus(freezing));
      HeldRequests hold = held(meeting, gate);
      try {
        // Each gate may need all of its time to drain.
        await(group, meeting, patience.multipliedBy(2));
        take(group, prepared);
        taken = true;
      } finally {
        hold.close();
      }
    } finally {
      if (!taken) {
        // The thaw precedes the end of the preparation.
        boolean unused = freeze.thaw();
      }
    }
  }

  /** Prepares the snapshot. After a failure, all passes are released at once. */
  private static SnapshotVolume.Prepared prepared(CyclicBarrier meeting, Preparation preparation)
      throws StorageException {
    try {
      return preparation.prepare();
    } catch (StorageException e) {
      meeting.reset();
      throw e;
    }
  }

  /** Holds the requests. After a failure, all passes are released at once. */
  private HeldRequests held(CyclicBarrier meeting, Gate gate) throws StorageException {
    try {
      return gate.hold(patience);
    } catch (StorageException e) {
      meeting.reset();
      throw e;
    }
  }

  private static void take(SnapshotGroup group, SnapshotVolume.Prepared prepared)
      throws StorageException {
    try {
      prepared.take();
    } catch (StorageException e) {
      throw new StorageException(
          ErrorCode.INVALID,
          "its group " + group.id() + " is not consistent: " + e.getMessage(),
          e);
    }
  }

  private static void await(SnapshotGroup group, CyclicBarrier meeting, Duration limit)
      throws StorageException {
    try {
      meeting.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | BrokenBarrierException e) {
      throw new StorageException(
          ErrorCode.BUSY,
          "waits for the other volumes of its group to be served by this node: "
              + String.join(", ", group.volumes()),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.BUSY, "interrupted", e);
    }
  }
}
