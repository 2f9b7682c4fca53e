package dev.holdfast.engine.spdk.simulator.internal.lvol;

import java.util.SortedMap;
import java.util.TreeMap;

/** Clusters that a volume owns: number in the volume to number on the device. Not thread-safe. */
final class ClusterMap {
  static final int NONE = -1;

  private final SortedMap<Long, Integer> clusters = new TreeMap<>();

  int get(long index) {
    return clusters.getOrDefault(index, NONE);
  }

  boolean has(long index) {
    return clusters.containsKey(index);
  }

  void put(long index, int cluster) {
    clusters.put(index, cluster);
  }

  int size() {
    return clusters.size();
  }

  /** Returns the content, which must not be changed. */
  SortedMap<Long, Integer> entries() {
    return clusters;
  }

  void clear() {
    clusters.clear();
  }

  void takeAll(ClusterMap other) {
    clusters.putAll(other.clusters);
    other.clear();
  }
}
