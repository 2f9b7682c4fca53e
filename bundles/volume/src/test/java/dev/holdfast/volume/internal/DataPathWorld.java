package dev.holdfast.volume.internal;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What is really open where: the hardware, as it were, of the simulated nodes. */
final class DataPathWorld {
  private final Map<String, Set<String>> openOn = new TreeMap<>();
  private int openings;

  /** A node that starts has nothing open. */
  void started(String node) {
    openOn.values().forEach(nodes -> nodes.remove(node));
  }

  void open(String volume, String node) {
    openings++;
    openOn.computeIfAbsent(volume, v -> new TreeSet<>()).add(node);
  }

  void close(String volume, String node) {
    openOn.getOrDefault(volume, new TreeSet<>()).remove(node);
  }

  boolean isOpen(String volume, String node) {
    return nodes(volume).contains(node);
  }

  Set<String> nodes(String volume) {
    return openOn.getOrDefault(volume, Set.of());
  }

  Set<String> volumes() {
    return openOn.keySet();
  }

  int openings() {
    return openings;
  }
}
