package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Real state of a volume, independent of the store: the node that has it open and those that
 * forward, on nodes that may be dead or partitioned. The engine fences: the node that opens the
 * volume has a higher generation than all others, whose writes the replicas refuse from then on.
 */
final class MigrationWorld {
  private final Map<String, Integer> open = new HashMap<>();
  private final Map<String, String> forwards = new HashMap<>();
  private final Map<String, Set<String>> admitted = new HashMap<>();
  private final Set<String> unheard = new TreeSet<>();
  private final Set<String> doubted = new HashSet<>();
  private int generation;

  /** Records the start of a node's process, which has no open volume. */
  void started(String node) {
    close(node);
    stopForwarding(node);
  }

  /** Opens the volume. No other node opens it while its owner reports continuously. */
  void open(String node) {
    for (String other : owners()) {
      assertThat(other.equals(node) || doubted.contains(other))
          .as("node " + node + " opens it while node " + other + " has not closed it")
          .isTrue();
    }
    stopForwarding(node);
    generation++;
    open.put(node, generation);
    doubted.remove(node);
    if (unheard.contains(node)) {
      doubted.add(node);
    }
  }

  void close(String node) {
    open.remove(node);
    admitted.remove(node);
  }

  boolean isOpen(String node) {
    return open.containsKey(node);
  }

  /** Returns whether a node has the volume open and no later opening took it over. */
  boolean isCurrent(String node) {
    return isOpen(node) && open.get(node) == generation;
  }

  void admit(String owner, Set<String> nodes) {
    admitted.put(owner, Set.copyOf(nodes));
  }

  Set<String> admitted(String owner) {
    return admitted.getOrDefault(owner, Set.of());
  }

  /** Makes a node forward to an owner. Returns whether the owner admits it. */
  boolean forward(String node, String owner) {
    forwards.put(node, owner);
    return isForwarding(node);
  }

  void stopForwarding(String node) {
    forwards.remove(node);
  }

  boolean tries(String node) {
    return forwards.containsKey(node);
  }

  private boolean isForwarding(String node) {
    String owner = forwards.getOrDefault(node, "");
    return isCurrent(owner) && admitted(owner).contains(node);
  }

  /** Returns the nodes whose own writes the replicas accept. */
  Set<String> owners() {
    Set<String> owners = new TreeSet<>(open.keySet());
    owners.removeIf(node -> !isCurrent(node));
    return owners;
  }

  /** Returns the nodes whose clients' writes have an effect. */
  Set<String> writers() {
    Set<String> writers = owners();
    forwards.keySet().stream().filter(this::isForwarding).forEach(writers::add);
    return writers;
  }

  /** Returns the running nodes that have the volume open or forward to it. */
  Set<String> atWork() {
    Set<String> nodes = new TreeSet<>(open.keySet());
    nodes.addAll(forwards.keySet());
    nodes.removeAll(unheard);
    return nodes;
  }

  /** Records that a node is partitioned from the store, or dead. */
  void lost(String node, boolean powerCut) {
    unheard.add(node);
    doubted.add(node);
    if (powerCut) {
      started(node);
    }
  }

  void returned(String node) {
    unheard.remove(node);
  }

  boolean isUnheard(String node) {
    return unheard.contains(node);
  }
}
