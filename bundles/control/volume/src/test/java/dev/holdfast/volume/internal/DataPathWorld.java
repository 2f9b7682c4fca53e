package dev.holdfast.volume.internal;

import dev.holdfast.resource.volume.Replica;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * State of the simulated nodes' hardware: open volumes, data on the disks, and current data.
 * Engines and replicas are known by name and uid.
 */
final class DataPathWorld {
  private final Map<String, Set<String>> openOn = new TreeMap<>();
  private final Map<String, Set<String>> members = new TreeMap<>();
  private final Map<String, String> rebuilding = new TreeMap<>();
  private final Set<String> data = new TreeSet<>();
  private final Set<String> deletedByUsers = new TreeSet<>();
  private int openings;

  /** Records the start of a node, which has no open volume. */
  void started(String node) {
    openOn.forEach(
        (volume, nodes) -> {
          if (nodes.remove(node)) {
            rebuilding.keySet().removeIf(engine -> engine.startsWith(volume + "/"));
          }
        });
  }

  void open(String volume, String node) {
    openings++;
    openOn.computeIfAbsent(volume, v -> new TreeSet<>()).add(node);
  }

  void close(String volume, String node) {
    openOn.getOrDefault(volume, new TreeSet<>()).remove(node);
    rebuilding.keySet().removeIf(engine -> engine.startsWith(volume + "/"));
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

  /**
   * Returns the identity of a replica: distinct by uid, and ordered by name so that histories are
   * repeatable.
   */
  static String identity(Replica replica) {
    return replica.name() + "/" + replica.metadata().uid();
  }

  /** Records the creation of a replica's directory. */
  void provision(Replica replica) {
    data.add(identity(replica));
  }

  void delete(Replica replica) {
    data.remove(identity(replica));
  }

  /** Records that a user deleted a replica's resource. */
  void deletedByUser(Replica replica) {
    deletedByUsers.add(identity(replica));
  }

  Set<String> deletedByUsers() {
    return deletedByUsers;
  }

  boolean hasData(String replica) {
    return data.contains(replica);
  }

  /** Records the current replicas. At the first opening all given replicas are current. */
  void begin(String engine, Collection<Replica> replicas) {
    if (!members.containsKey(engine)) {
      Set<String> first = new TreeSet<>();
      replicas.forEach(replica -> first.add(identity(replica)));
      members.put(engine, first);
    }
  }

  Set<String> members(String engine) {
    return members.getOrDefault(engine, Set.of());
  }

  Set<String> engines() {
    return members.keySet();
  }

  /** Removes a replica from the members, unless it is the last one with data. */
  void drop(String engine, String replica) {
    Set<String> left = new TreeSet<>(members(engine));
    left.remove(replica);
    if (left.stream().anyMatch(data::contains)) {
      members.put(engine, left);
    }
  }

  void dropAny(Random random) {
    List<String> engines = new ArrayList<>(members.keySet());
    if (!engines.isEmpty()) {
      String engine = engines.get(random.nextInt(engines.size()));
      List<String> replicas = new ArrayList<>(members(engine));
      drop(engine, replicas.get(random.nextInt(replicas.size())));
    }
  }

  boolean isRebuilding(String engine, String replica) {
    return replica.equals(rebuilding.get(engine));
  }

  void beginRebuild(String engine, String replica) {
    rebuilding.put(engine, replica);
  }

  void endRebuild(String engine, boolean success) {
    String replica = rebuilding.remove(engine);
    if (success && data.contains(replica)) {
      members.get(engine).add(replica);
    }
  }
}
