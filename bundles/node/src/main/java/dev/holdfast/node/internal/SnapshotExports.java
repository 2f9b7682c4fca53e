package dev.holdfast.node.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.frontend.PublishedExport;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The snapshots of one open volume that hosts can read, as {@code volume@snapshot}. Taken down
 * before the volume is closed. Used by the steps of the volume's data path only.
 */
final class SnapshotExports {
  private final String volume;
  private final Map<String, Shown> shown = new TreeMap<>();

  private record Shown(Portal portal, PublishedExport export, BlockDevice device) {}

  SnapshotExports(String volume) {
    this.volume = volume;
  }

  /** Shows a snapshot, if it is not shown, and returns where. */
  String show(Portal portal, String frontend, SnapshotVolume opened, String snapshot)
      throws StorageException {
    Shown present = shown.get(snapshot);
    if (present == null) {
      BlockDevice device = opened.openSnapshot(snapshot);
      try {
        present =
            new Shown(portal, portal.publish(frontend, volume + "@" + snapshot, device), device);
      } catch (StorageException | RuntimeException e) {
        device.close();
        throw e;
      }
      shown.put(snapshot, present);
    }
    return present.export().endpoint().toString();
  }

  boolean isShown(String snapshot) {
    return shown.containsKey(snapshot);
  }

  /** Takes an export back; what is not shown is left. */
  void hide(String snapshot) {
    Shown present = shown.remove(snapshot);
    if (present != null) {
      present.export().close();
      present.device().close();
    }
  }

  /** Takes back what a portal that goes away shows. */
  void hide(Portal leaving) {
    for (Map.Entry<String, Shown> entry : List.copyOf(shown.entrySet())) {
      if (entry.getValue().portal() == leaving) {
        hide(entry.getKey());
      }
    }
  }

  void hideAll() {
    Set.copyOf(shown.keySet()).forEach(this::hide);
  }
}
