package dev.holdfast.engine.sparse.internal;

import java.util.ArrayList;
import java.util.List;

/** The volumes that this engine has open. Thread-safe. */
final class OpenVolumes {
  private final List<SparseVolume> volumes = new ArrayList<>();

  synchronized void add(SparseVolume volume) {
    volumes.add(volume);
  }

  synchronized void remove(SparseVolume volume) {
    volumes.remove(volume);
  }

  synchronized List<SparseVolume> all() {
    return List.copyOf(volumes);
  }
}
