package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.MemberMode;
import java.util.Map;
import java.util.TreeMap;

/** Modes of the replicas, by name. Thread-safe. */
public final class ReplicaModes {
  private final Map<String, MemberMode> modes = new TreeMap<>();

  public synchronized void set(String replica, MemberMode mode) {
    modes.put(replica, mode);
  }

  public synchronized Map<String, MemberMode> all() {
    return Map.copyOf(modes);
  }
}
