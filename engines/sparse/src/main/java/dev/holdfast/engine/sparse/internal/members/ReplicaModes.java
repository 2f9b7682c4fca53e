package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.ReplicaMode;
import java.util.Map;
import java.util.TreeMap;

/** Modes of the replicas, by name. Thread-safe. */
public final class ReplicaModes {
  private final Map<String, ReplicaMode> modes = new TreeMap<>();

  public synchronized void set(String replica, ReplicaMode mode) {
    modes.put(replica, mode);
  }

  public synchronized Map<String, ReplicaMode> all() {
    return Map.copyOf(modes);
  }
}
