package dev.holdfast.resource.node;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Declarations of one engine, as the nodes of the cluster report them. Immutable. An engine that
 * declares nothing keeps replicas in directories of single nodes, and its replicas fence earlier
 * openings.
 *
 * @since 1.1
 */
public final class EngineDeclaration {
  private static final Set<String> KNOWN = Set.of(EngineDisks.REPLICAS, EngineDisks.DISK_LOCK);

  private static final String MULTI_NODE = "MULTI_NODE";
  private static final String PLACEMENT = "PLACEMENT";
  private static final String FORWARDING = "FORWARDING";

  private final String engine;
  private final List<Node> nodes;

  private EngineDeclaration(String engine, List<Node> nodes) {
    this.engine = engine;
    this.nodes = List.copyOf(nodes);
  }

  /**
   * Reads the reports of the nodes.
   *
   * @param engine name of the engine
   * @param nodes all nodes of the cluster, including unreachable ones
   */
  public static EngineDeclaration of(String engine, List<Node> nodes) {
    return new EngineDeclaration(engine, nodes);
  }

  private EngineDisks on(Node node) {
    return node.status().engineDisks().getOrDefault(engine, EngineDisks.DEFAULT);
  }

  private Set<EngineDisks> installed() {
    return nodes.stream()
        .filter(
            node ->
                node.status().engines().contains(engine)
                    || node.status().engineDisks().containsKey(engine))
        .map(this::on)
        .collect(Collectors.toSet());
  }

  /** Returns whether a volume has one replica on a disk that provides the redundancy. */
  public boolean isSharedDisk() {
    return installed().stream().anyMatch(disks -> disks.topology().equals(EngineDisks.SHARED_DISK));
  }

  /**
   * Returns whether any number of nodes can serve a volume at the same time. All nodes with the
   * engine must declare this.
   */
  public boolean servesManyNodes() {
    return declares(MULTI_NODE);
  }

  /**
   * Returns whether one selectable node at a time uses the disk of a volume on behalf of all nodes.
   * All nodes with the engine must declare this.
   */
  public boolean isPlaced() {
    return declares(PLACEMENT);
  }

  /**
   * Returns whether a second node may serve a volume while another node has it open. All nodes with
   * the engine must declare this, or the engine must not be reported.
   */
  public boolean mayForward() {
    return having().isEmpty() || declares(FORWARDING);
  }

  private List<Node> having() {
    return nodes.stream().filter(node -> node.status().engines().contains(engine)).toList();
  }

  private boolean declares(String capability) {
    List<Node> having = having();
    return !having.isEmpty()
        && having.stream()
            .allMatch(
                node ->
                    node.status()
                        .engineCapabilities()
                        .getOrDefault(engine, List.of())
                        .contains(capability));
  }

  /** Returns the declared ways of fencing, sorted; more than one while versions differ. */
  public Set<String> fencings() {
    return installed().stream()
        .map(EngineDisks::fencing)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * Returns whether an opening on an unreachable node may count as closed, because a later opening
   * fences it. All nodes with the engine must declare the same known form of fencing, because a
   * lock does not exclude an engine that does not take it.
   */
  public boolean isFenced() {
    Set<String> fencings = fencings();
    return fencings.size() <= 1 && KNOWN.containsAll(fencings);
  }

  /**
   * Returns whether the engine can keep replicas on a disk of a node.
   *
   * @param diskID identifier of a disk in the node's spec
   */
  public boolean canUse(Node node, String diskID) {
    DiskType type = node.spec().disks().getOrDefault(diskID, DiskSpec.EMPTY).type();
    DiskStatus status = node.status().diskStatus().getOrDefault(diskID, DiskStatus.EMPTY);
    return on(node).types().contains(type)
        && (type == DiskType.DIRECTORY || status.engine().equals(engine));
  }

  /**
   * Returns whether replicas of the engine on a disk are not bound to a node.
   *
   * @param diskID identifier of a disk in the node's spec
   */
  public boolean isShared(Node node, String diskID) {
    DiskType type = node.spec().disks().getOrDefault(diskID, DiskSpec.EMPTY).type();
    DiskStatus status = node.status().diskStatus().getOrDefault(diskID, DiskStatus.EMPTY);
    return isSharedDisk() && (type == DiskType.DIRECTORY || status.shared());
  }
}
