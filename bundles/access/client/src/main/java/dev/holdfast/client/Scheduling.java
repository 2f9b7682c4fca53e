package dev.holdfast.client;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Controls whether nodes and disks receive new replicas, and moves existing replicas to other
 * disks. Thread-safe.
 */
public final class Scheduling {
  private static final int MOST_NAMED = 3;

  private final ResourceStore store;
  private final StoreEditor editor;
  private final Disks disks;

  /**
   * The remaining replicas and volumes of a node that is drained.
   *
   * @param node name of the node
   * @param replicas names of the remaining replicas
   * @param attachedVolumes names of the volumes whose wanted node it is
   */
  public record Drained(String node, List<String> replicas, Set<String> attachedVolumes) {
    /** Copies the collections. */
    public Drained {
      replicas = List.copyOf(replicas);
      attachedVolumes = Set.copyOf(attachedVolumes);
    }
  }

  /** Manages the nodes of a store. */
  public Scheduling(ResourceStore store) {
    this.store = store;
    this.editor = new StoreEditor(store);
    this.disks = new Disks(store);
  }

  /**
   * Stops the placement of new replicas on a node; existing replicas remain.
   *
   * @throws StorageException NOT_FOUND
   */
  public Node cordon(String node) throws StorageException {
    return editor.edit(Node.KIND, node, n -> scheduling(n, false, n.spec().evictionRequested()));
  }

  /**
   * Permits new replicas on a node again; replicas that were leaving remain.
   *
   * @throws StorageException NOT_FOUND
   */
  public Node uncordon(String node) throws StorageException {
    return editor.edit(Node.KIND, node, n -> scheduling(n, true, false));
  }

  /**
   * Moves all replicas of a node to other nodes; with waiting, until none is left. The moves
   * continue after a time-out.
   *
   * @return the remaining replicas and volumes of the node
   * @throws StorageException NOT_FOUND; TIMEOUT with the remaining replicas
   */
  public Drained drain(String node, Waiting waiting) throws StorageException {
    editor.edit(Node.KIND, node, n -> scheduling(n, false, true));
    List<String> left = awaitNone("node " + node, isOn(node), waiting);
    return new Drained(node, left, NodeHoldings.of(node, store).attachedVolumes());
  }

  private static Predicate<Replica> isOn(String node) {
    return replica -> replica.spec().nodeID().equals(node);
  }

  private static Node scheduling(Node node, boolean allowed, boolean evicting) {
    return node.withSpec(node.spec().withAllowScheduling(allowed).withEvictionRequested(evicting));
  }

  /**
   * Stops the placement of new replicas on a disk; existing replicas remain.
   *
   * @param node node of the disk; empty for the only node with such a disk
   * @throws StorageException NOT_FOUND; INVALID when several nodes have such a disk
   */
  public Disk cordonDisk(String id, Optional<String> node) throws StorageException {
    return changeDisk(id, node, disk -> disk.withAllowScheduling(false));
  }

  /**
   * Permits new replicas on a disk again; replicas that were leaving remain.
   *
   * @param node node of the disk; empty for the only node with such a disk
   * @throws StorageException NOT_FOUND; INVALID when several nodes have such a disk
   */
  public Disk uncordonDisk(String id, Optional<String> node) throws StorageException {
    return changeDisk(
        id, node, disk -> disk.withAllowScheduling(true).withEvictionRequested(false));
  }

  /**
   * Moves all replicas of a disk to other disks; with waiting, until none is left. The moves
   * continue after a time-out.
   *
   * @param node node of the disk; empty for the only node with such a disk
   * @return the disk with its remaining replicas
   * @throws StorageException NOT_FOUND; INVALID when several nodes have such a disk; TIMEOUT with
   *     the remaining replicas
   */
  public Disk drainDisk(String id, Optional<String> node, Waiting waiting) throws StorageException {
    Disk disk = changeDisk(id, node, d -> d.withAllowScheduling(false).withEvictionRequested(true));
    Node carrier = editor.require(Node.KIND, disk.node());
    Predicate<Replica> isOnIt = replica -> replica.diskOn(carrier).filter(id::equals).isPresent();
    List<String> left = awaitNone("disk " + id + " of " + disk.node(), isOnIt, waiting);
    return new Disk(disk.node(), id, disk.spec(), disk.status(), left, disk.deleted());
  }

  private Disk changeDisk(String id, Optional<String> node, UnaryOperator<DiskSpec> change)
      throws StorageException {
    String carrier = disks.carrier(id, node);
    editor.edit(Node.KIND, carrier, n -> withDisk(n, id, change));
    return disks.get(carrier, id);
  }

  private static Node withDisk(Node node, String id, UnaryOperator<DiskSpec> change)
      throws StorageException {
    Disks.requireDisk(node, id);
    return Disks.changed(node, id, disk -> Optional.of(change.apply(disk)));
  }

  /**
   * Waits until a place has no replicas. A drained place receives no new ones, so the present ones
   * are all. Does not wait for a replaced replica that cannot be removed because its disk is
   * absent.
   */
  private List<String> awaitNone(String place, Predicate<Replica> isThere, Waiting waiting)
      throws StorageException {
    List<String> present =
        store.list(Replica.KIND, LabelSelector.ALL).items().stream()
            .filter(isThere)
            .filter(replica -> !replica.isRemovalBlocked())
            .map(Replica::name)
            .toList();
    if (!waiting.isWanted()) {
      return present;
    }
    try (ResourceWait observation = new ResourceWait(store)) {
      List<ResourceWait.Follower<Replica>> followers = new ArrayList<>();
      for (String name : present) {
        followers.add(observation.follow(Replica.KIND, name));
      }
      return observation.await(
          place,
          waiting,
          () -> left(followers).isEmpty() ? Optional.of(List.of()) : Optional.empty(),
          () -> text(left(followers)));
    }
  }

  private static List<Replica> left(List<ResourceWait.Follower<Replica>> followers) {
    return followers.stream()
        .flatMap(follower -> follower.latest().stream())
        .filter(replica -> !replica.isRemovalBlocked())
        .toList();
  }

  private static String text(List<Replica> left) {
    String named =
        left.stream()
            .limit(MOST_NAMED)
            .map(replica -> replica.name() + " of volume " + replica.spec().volume())
            .collect(Collectors.joining(", "));
    int hidden = left.size() - MOST_NAMED;
    return (left.size() == 1 ? "1 replica is left: " : left.size() + " replicas are left: ")
        + named
        + (hidden > 0 ? " and " + hidden + " more" : "")
        + "; see 'holdfast volume why VOLUME'";
  }
}
