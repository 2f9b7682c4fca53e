package dev.holdfast.attachment.internal;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Real state of engines, independent of the store, on nodes that may be dead or partitioned. The
 * engine fences: the node that opens the volume next has a higher generation than all others, and
 * the replicas then reject the writes of the others. A node that joins an open volume forwards to
 * its owner.
 */
final class MovingWorld {
  private final Map<String, Open> openOn = new HashMap<>();
  private final Set<String> dead = new TreeSet<>();
  private int generation;

  private record Open(int generation, boolean owns) {}

  void open(String node, boolean joins) {
    if (!joins) {
      generation++;
    }
    openOn.put(node, new Open(generation, !joins));
  }

  /** The node that joined becomes the owner of the volume; the former owner only forwards. */
  void takeOver(String node) {
    if (isOpen(node)) {
      openOn.replaceAll((each, open) -> new Open(open.generation(), false));
      open(node, false);
    }
  }

  void close(String node) {
    openOn.remove(node);
  }

  boolean isOpen(String node) {
    return openOn.containsKey(node);
  }

  /** Returns whether a node has the volume open and no later opening took it over. */
  boolean isCurrent(String node) {
    return isOpen(node) && openOn.get(node).generation() == generation;
  }

  /** Returns the nodes whose own writes the replicas still accept. */
  Set<String> owners() {
    Set<String> owners = new TreeSet<>();
    openOn.forEach(
        (node, open) -> {
          if (open.owns() && open.generation() == generation) {
            owners.add(node);
          }
        });
    return owners;
  }

  /** Returns the running nodes that have the volume open. */
  Set<String> openAndAlive() {
    Set<String> open = new TreeSet<>(openOn.keySet());
    open.removeAll(dead);
    return open;
  }

  void dies(String node, boolean powerCut) {
    dead.add(node);
    if (powerCut) {
      openOn.remove(node);
    }
  }

  void returns(String node) {
    dead.remove(node);
  }

  boolean isDead(String node) {
    return dead.contains(node);
  }
}
