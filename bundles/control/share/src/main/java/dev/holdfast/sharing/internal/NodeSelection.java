package dev.holdfast.sharing.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.DataLocality;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.FailedShareNode;
import dev.holdfast.share.ShareManager;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Chooses the node of a share: one that reports, is not cordoned, has the requested tags and the
 * packages of the server. A node on which the share failed is chosen last, and only after a pause
 * that doubles with each failure. Then the order is: the node of the volume, nodes with its
 * replicas, nodes with fewer shares, the name. A pure function.
 *
 * @param share to place
 * @param volume its volume
 * @param nodes all nodes
 * @param replicas of the volume
 * @param load number of shares on each node
 * @param occupied nodes on which another share has the port
 * @param sinceFailure time since the last failure, as observed by this controller
 */
record NodeSelection(
    ShareManager share,
    Volume volume,
    List<Node> nodes,
    List<Replica> replicas,
    Map<String, Integer> load,
    Set<String> occupied,
    Duration sinceFailure) {
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(60);
  private static final int MOST_DOUBLINGS = 4;

  NodeChoice choose() {
    List<Node> able = nodes.stream().filter(this::isAble).toList();
    Optional<Node> best = able.stream().min(order());
    if (best.isEmpty()) {
      return NodeChoice.none(why());
    }
    Duration pause = pause(best.get());
    return pause.compareTo(sinceFailure) > 0
        ? NodeChoice.none(
            "failed on node "
                + best.get().name()
                + "; tries again within "
                + pause.toSeconds()
                + " s")
        : NodeChoice.of(best.get().name());
  }

  /** Returns the pause after which a failed node may be chosen again. */
  static Duration pauseAfter(int failures) {
    int doublings = Math.min(Math.max(0, failures - 1), MOST_DOUBLINGS);
    Duration pause = FIRST_PAUSE.multipliedBy(1L << doublings);
    return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
  }

  private Duration pause(Node node) {
    int failures = failures(node);
    return failures == 0 ? Duration.ZERO : pauseAfter(failures);
  }

  private int failures(Node node) {
    return share.status().failedNodes().stream()
        .filter(failed -> failed.nodeID().equals(node.name()))
        .mapToInt(FailedShareNode::count)
        .findFirst()
        .orElse(0);
  }

  private Comparator<Node> order() {
    Set<String> near = nodesWithReplica();
    return Comparator.comparingInt(this::failures)
        .thenComparing(node -> !node.name().equals(volume.spec().nodeID()))
        .thenComparing(node -> !near.contains(node.name()))
        .thenComparing(node -> load.getOrDefault(node.name(), 0))
        .thenComparing(Node::name);
  }

  private Set<String> nodesWithReplica() {
    return replicas.stream()
        .map(Replica::ownerNode)
        .filter(name -> !name.isEmpty())
        .collect(Collectors.toSet());
  }

  private boolean isAble(Node node) {
    return isReporting(node)
        && mayServe(node)
        && hasServer(node)
        && hasData(node)
        && !isOccupied(node);
  }

  private boolean isOccupied(Node node) {
    return occupied.contains(node.name());
  }

  /** Returns whether a node reports. */
  static boolean isReporting(Node node) {
    return Condition.isTrue(node.status().conditions(), Condition.READY);
  }

  /** Returns whether the administrator's settings permit a node to serve the share. */
  boolean mayServe(Node node) {
    return !node.isCordoned()
        && !node.spec().evictionRequested()
        && node.spec().tags().containsAll(share.spec().nodeSelector());
  }

  private static boolean hasServer(Node node) {
    return Condition.isTrue(node.status().conditions(), ShareManager.NODE_CONDITION);
  }

  private boolean hasData(Node node) {
    return volume.spec().dataLocality() != DataLocality.STRICT_LOCAL
        || nodesWithReplica().contains(node.name());
  }

  private String why() {
    Set<String> causes = new TreeSet<>();
    for (Node node : nodes) {
      causes.add("node " + node.name() + ": " + why(node));
    }
    return causes.isEmpty() ? "the cluster has no node" : String.join("; ", causes);
  }

  private String why(Node node) {
    if (!isReporting(node)) {
      return "does not report";
    }
    if (node.isCordoned() || node.spec().evictionRequested()) {
      return "cordoned";
    }
    if (!mayServe(node)) {
      return "lacks a tag of spec.nodeSelector " + share.spec().nodeSelector();
    }
    if (!hasData(node)) {
      return "has no replica of the strict-local volume";
    }
    if (isOccupied(node)) {
      return "another share there has port " + share.spec().port() + ": set spec.port of one";
    }
    return Condition.find(node.status().conditions(), ShareManager.NODE_CONDITION)
        .map(Condition::message)
        .filter(message -> !message.isEmpty())
        .orElse("has no server of shares");
  }
}
