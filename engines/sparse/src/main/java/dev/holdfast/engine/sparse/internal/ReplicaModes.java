package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.ReplicaMode;
import java.util.Map;
import java.util.TreeMap;

/** What the engine does with each replica, by name. Thread-safe. */
final class ReplicaModes {
  private final Map<String, ReplicaMode> modes = new TreeMap<>();

  synchronized void set(String replica, ReplicaMode mode) {
    modes.put(replica, mode);
  }

  synchronized Map<String, ReplicaMode> all() {
    return Map.copyOf(modes);
  }
}
