package dev.holdfast.datapath;

import dev.holdfast.block.filter.GatedDevice;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.frontend.PublishedExport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshots of one open volume that hosts can read, as {@code volume@snapshot}. Withdrawn
 * before the volume is closed. While its engine is replaced, their requests wait. Used by the steps
 * of the volume's data path only.
 */
public final class SnapshotExports {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotExports.class);
  private static final Duration DRAIN = Duration.ofSeconds(2);

  private final String volume;
  private final Map<String, Shown> shown = new TreeMap<>();

  private final Map<String, GatedDevice.Hold> held = new TreeMap<>();

  private final OpenSnapshotReaders readers;

  private record Shown(Portal portal, PublishedExport export, GatedDevice device) {}

  /** Creates an object without exports. */
  public SnapshotExports(String volume) {
    this.volume = volume;
    this.readers = new OpenSnapshotReaders(volume);
  }

  /** Returns the readers of snapshots in this process. */
  OpenSnapshotReaders readers() {
    return readers;
  }

  /** Exports a snapshot, if it is not exported yet, and returns its endpoint. */
  public String show(Portal portal, String frontend, SnapshotVolume opened, String snapshot)
      throws StorageException {
    Shown present = shown.get(snapshot);
    if (present == null) {
      String export = volume + "@" + snapshot;
      GatedDevice device = new GatedDevice(export, opened.openSnapshot(snapshot));
      try {
        present = new Shown(portal, portal.publish(frontend, export, device), device);
      } catch (StorageException | RuntimeException e) {
        device.close();
        throw e;
      }
      shown.put(snapshot, present);
    }
    return present.export().endpoint().toString();
  }

  /** Returns whether hosts can read a snapshot. */
  public boolean isShown(String snapshot) {
    return shown.containsKey(snapshot);
  }

  /** Withdraws an export; does nothing when it is not exported. */
  public void hide(String snapshot) {
    Shown present = shown.remove(snapshot);
    if (present != null) {
      if (held.remove(snapshot) != null) {
        // Its clients wait for replies, and the end of the export waits for its clients.
        present.device().shut(Duration.ZERO);
      }
      present.export().close();
      present.device().close();
    }
  }

  /** Withdraws the exports of a portal that is removed. */
  public void hide(Portal leaving) {
    for (Map.Entry<String, Shown> entry : List.copyOf(shown.entrySet())) {
      if (entry.getValue().portal() == leaving) {
        hide(entry.getKey());
      }
    }
  }

  /** Withdraws all exports and closes all readers. */
  public void hideAll() {
    readers.closeAll();
    Set.copyOf(shown.keySet()).forEach(this::hide);
  }

  /**
   * Closes the exported snapshots and holds their requests; withdraws those that cannot be held.
   */
  public void suspend() {
    readers.suspend();
    for (String snapshot : Set.copyOf(shown.keySet())) {
      try {
        GatedDevice.Hold hold = shown.get(snapshot).device().hold(DRAIN);
        hold.vacate().close();
        held.put(snapshot, hold);
      } catch (StorageException e) {
        LOG.warn(
            "snapshot {} of volume {}: withdrew its export: {}", snapshot, volume, e.getMessage());
        hide(snapshot);
      }
    }
  }

  /**
   * Resumes with the same volume, open again; snapshots that can no longer be opened are hidden.
   */
  public void resume(OpenVolume opened) {
    readers.resume(opened);
    for (String snapshot : Set.copyOf(held.keySet())) {
      try {
        if (!(opened instanceof SnapshotVolume snapshots)) {
          throw new StorageException(
              ErrorCode.UNSUPPORTED, "its engine does not support snapshots");
        }
        GatedDevice.Hold hold = held.get(snapshot);
        hold.replace(snapshots.openSnapshot(snapshot));
        held.remove(snapshot);
        hold.close();
      } catch (StorageException e) {
        LOG.warn(
            "snapshot {} of volume {}: withdrew its export: {}", snapshot, volume, e.getMessage());
        hide(snapshot);
      }
    }
  }
}
