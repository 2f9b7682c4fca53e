package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.spdk.internal.replica.LegPlace;
import dev.holdfast.engine.spdk.internal.replica.SnapshotRecord;
import dev.holdfast.error.StorageException;
import java.util.HashMap;
import java.util.HashSet;
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

  /** Opens a snapshot. */
  synchronized BlockDevice open(SnapshotRecord snapshot) throws StorageException {
    LegPlace place = legs.first().place();
    BlockDevice below =
        legs.loopback().connect(place.subsystem(snapshot.lvol()), place.alias(snapshot.lvol()));
    SpdkSnapshotDevice device =
        new SpdkSnapshotDevice(
            "snapshot " + snapshot.name() + " of volume " + legs.volume(),
            below,
            snapshot.sizeBytes(),
            ended -> closed(ended, snapshot.lvol()));
    open.add(device);
    counts.merge(snapshot.lvol(), 1, Integer::sum);
    return device;
  }

  private synchronized void closed(SpdkSnapshotDevice device, String lvol) {
    open.remove(device);
    if (counts.merge(lvol, -1, Integer::sum) == 0) {
      counts.remove(lvol);
      try {
        legs.subsystems().delete(legs.first().place().subsystem(lvol));
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
