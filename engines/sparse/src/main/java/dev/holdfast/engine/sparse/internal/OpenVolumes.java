package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.ReplicaLocation;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The volumes that this engine has open, by the directories of their replicas. Thread-safe. */
final class OpenVolumes {
  private final Map<Path, SparseVolume> byDirectory = new HashMap<>();

  synchronized Optional<SparseVolume> holding(ReplicaLocation location) {
    return Optional.ofNullable(byDirectory.get(key(location)));
  }

  synchronized void add(SparseVolume volume, List<ReplicaLocation> locations) {
    locations.forEach(location -> byDirectory.put(key(location), volume));
  }

  synchronized void remove(SparseVolume volume) {
    byDirectory.values().removeIf(volume::equals);
  }

  synchronized List<SparseVolume> all() {
    return byDirectory.values().stream().distinct().toList();
  }

  private static Path key(ReplicaLocation location) {
    return location.directory().normalize();
  }
}
