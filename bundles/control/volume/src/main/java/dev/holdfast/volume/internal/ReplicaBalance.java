package dev.holdfast.volume.internal;

import dev.holdfast.resource.volume.AutoBalance;
import dev.holdfast.resource.volume.DataLocality;
import dev.holdfast.resource.volume.Replica;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Evaluates the distribution of a volume's copies, and finds improvements. */
final class ReplicaBalance {
  private final VolumeView view;
  private final List<Replica> copies;
  private final Map<String, Long> perNode;
  private final Map<String, Long> perZone;

  /**
   * Creates the evaluation of copies that are all current.
   *
   * @param copies at least one
   */
  ReplicaBalance(VolumeView view, List<Replica> copies) {
    this.view = view;
    this.copies = List.copyOf(copies);
    this.perNode = counted(replica -> replica.spec().nodeID());
    this.perZone = counted(replica -> zoneOf(replica.spec().nodeID()));
  }

  private Map<String, Long> counted(Function<Replica, String> place) {
    return copies.stream().collect(Collectors.groupingBy(place, Collectors.counting()));
  }

  /** Returns the zone of a node. A node without a zone forms its own zone. */
  private String zoneOf(String node) {
    String zone = view.nodes().zone(node);
    return zone.isEmpty() ? "node " + node : "zone " + zone;
  }

  boolean isWanted() {
    return switch (wish()) {
      case LEAST_EFFORT, BEST_EFFORT -> true;
      case DISABLED, IGNORED -> false;
    };
  }

  private AutoBalance wish() {
    return view.settings().autoBalance(view.volume().spec());
  }

  /** Returns whether the distribution improves if a copy moves there from the fullest place. */
  boolean isImprovedBy(String node) {
    return comesCloser(node)
        || isMoreEven(perZone, zoneOf(node))
        || (isMoreEven(perNode, node) && !isWorseForZones(node));
  }

  /** Returns whether the move brings data to the node that uses the volume. */
  private boolean comesCloser(String node) {
    return view.volume().spec().dataLocality() == DataLocality.BEST_EFFORT
        && node.equals(view.volume().spec().nodeID())
        && !perNode.containsKey(node);
  }

  private boolean isMoreEven(Map<String, Long> counts, String place) {
    long most = counts.values().stream().mapToLong(Long::longValue).max().orElse(0);
    long here = counts.getOrDefault(place, 0L);
    return switch (wish()) {
      case LEAST_EFFORT -> here == 0 && most >= 2;
      case BEST_EFFORT -> most - here >= 2;
      case DISABLED, IGNORED -> false;
    };
  }

  private boolean isWorseForZones(String node) {
    long most = perZone.values().stream().mapToLong(Long::longValue).max().orElse(0);
    return perZone.getOrDefault(zoneOf(node), 0L) >= most && perZone.size() > 1;
  }

  /** Returns the least useful copy: in the fullest place, not on the using node, the youngest. */
  Replica leastUseful() {
    return copies.stream()
        .max(
            Comparator.<Replica>comparingLong(r -> perZone.get(zoneOf(r.spec().nodeID())))
                .thenComparingLong(r -> perNode.get(r.spec().nodeID()))
                .thenComparing(r -> !r.spec().nodeID().equals(view.volume().spec().nodeID()))
                .thenComparing(r -> r.spec().lastHealthyAt().orElse(Instant.MAX))
                .thenComparing(Replica::name))
        .orElseThrow();
  }
}
