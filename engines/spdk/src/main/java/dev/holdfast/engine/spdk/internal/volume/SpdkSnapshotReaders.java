package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.engine.spdk.internal.replica.SnapshotRecord;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Snapshots that are open for reading. Thread-safe. */
final class SpdkSnapshotReaders {
  private static final Logger LOG = LoggerFactory.getLogger(SpdkSnapshotReaders.class);

  private final SpdkLegs legs;
  private final Map<String, Integer> counts = new HashMap<>();
  private final Set<SpdkSnapshotDevice> open = new HashSet<>();

  SpdkSnapshotReaders(SpdkLegs legs) {
    this.legs = legs;
  }

  /** Returns whether a snapshot is being read. */
  synchronized boolean isRead(String lvol) {
    return counts.containsKey(lvol);
  }

  /** Keeps snapshots from being removed, until {@link #release}. */
  synchronized void keep(List<SnapshotRecord> snapshots) {
    snapshots.forEach(one -> counts.merge(one.lvol(), 1, Integer::sum));
  }

  /** Ends {@link #keep}. */
  synchronized void release(List<SnapshotRecord> snapshots) {
    for (SnapshotRecord one : snapshots) {
      if (counts.merge(one.lvol(), -1, Integer::sum) == 0) {
        counts.remove(one.lvol());
      }
    }
  }

  /** Returns the leg that is read: one of this node if there is one. */
  ReplicaLeg source() {
    return legs.all().stream().filter(leg -> !leg.isRemote()).findFirst().orElse(legs.first());
  }

  /** Returns the device of a snapshot, which is attached if it is on another node. */
  private String device(ReplicaLeg leg, String lvol) throws StorageException {
    return leg.isRemote() ? legs.remote().attach(leg, lvol) : leg.place().alias(lvol);
  }

  private void hide(ReplicaLeg leg, String lvol) throws StorageException {
    legs.subsystems().delete(leg.place().subsystem(lvol));
    if (leg.isRemote()) {
      legs.remote().detach(leg, lvol);
    }
  }

  /** Opens a snapshot by its name in the volume. */
  synchronized BlockDevice open(String name) throws StorageException {
    ReplicaLeg leg = source();
    SnapshotRecord snapshot =
        leg.record()
            .snapshot(name)
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.NOT_FOUND,
                        "volume " + legs.volume() + " has no snapshot " + name));
    String lvol = snapshot.lvol();
    BlockDevice below = legs.loopback().connect(leg.place().subsystem(lvol), device(leg, lvol));
    SpdkSnapshotDevice device =
        new SpdkSnapshotDevice(
            "snapshot " + name + " of volume " + legs.volume(),
            below,
            snapshot.sizeBytes(),
            ended -> closed(ended, leg, lvol));
    open.add(device);
    counts.merge(lvol, 1, Integer::sum);
    return device;
  }

  private synchronized void closed(SpdkSnapshotDevice device, ReplicaLeg leg, String lvol) {
    open.remove(device);
    if (counts.merge(lvol, -1, Integer::sum) == 0) {
      counts.remove(lvol);
      try {
        hide(leg, lvol);
      } catch (StorageException e) {
        LOG.debug("volume {}: could not hide snapshot {}", legs.volume(), lvol, e);
      }
    }
  }

  /** Closes all that are open. */
  void close() {
    Set<SpdkSnapshotDevice> all;
    synchronized (this) {
      all = Set.copyOf(open);
    }
    all.forEach(SpdkSnapshotDevice::close);
  }
}
