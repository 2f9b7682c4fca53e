package dev.holdfast.datapath;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.filter.GatedDevice;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshots of one open volume that are being read in this process. Requests wait while the
 * engine is replaced, and fail when the volume is closed. Used by the steps of the volume's data
 * path only.
 */
final class OpenSnapshotReaders {
  private static final Logger LOG = LoggerFactory.getLogger(OpenSnapshotReaders.class);
  private static final Duration DRAIN = Duration.ofSeconds(2);

  private final String volume;
  private final IdentityHashMap<GatedDevice, String> open = new IdentityHashMap<>();
  private final IdentityHashMap<GatedDevice, GatedDevice.Hold> held = new IdentityHashMap<>();

  OpenSnapshotReaders(String volume) {
    this.volume = volume;
  }

  /** Opens a reader of a snapshot. */
  BlockDevice open(SnapshotVolume opened, String snapshot) throws StorageException {
    GatedDevice device = new GatedDevice(volume + "@" + snapshot, opened.openSnapshot(snapshot));
    open.put(device, snapshot);
    return device;
  }

  /** Closes a reader; does nothing when it is already closed. */
  void close(BlockDevice device) {
    for (GatedDevice present : List.copyOf(open.keySet())) {
      if (present == device) {
        end(present);
      }
    }
  }

  private void end(GatedDevice device) {
    open.remove(device);
    held.remove(device);
    boolean unused = device.shut(Duration.ZERO);
    device.close();
  }

  void closeAll() {
    new ArrayList<>(open.keySet()).forEach(this::end);
  }

  void suspend() {
    for (GatedDevice device : new ArrayList<>(open.keySet())) {
      try {
        GatedDevice.Hold hold = device.hold(DRAIN);
        hold.vacate().close();
        held.put(device, hold);
      } catch (StorageException e) {
        LOG.warn("volume {}: stopped reading a snapshot: {}", volume, e.getMessage());
        end(device);
      }
    }
  }

  void resume(OpenVolume opened) {
    for (GatedDevice device : new ArrayList<>(held.keySet())) {
      try {
        if (!(opened instanceof SnapshotVolume snapshots)) {
          throw new StorageException(
              ErrorCode.UNSUPPORTED, "its engine does not support snapshots");
        }
        GatedDevice.Hold hold = held.get(device);
        hold.replace(snapshots.openSnapshot(open.get(device)));
        held.remove(device);
        hold.close();
      } catch (StorageException e) {
        LOG.warn("volume {}: stopped reading a snapshot: {}", volume, e.getMessage());
        end(device);
      }
    }
  }
}
