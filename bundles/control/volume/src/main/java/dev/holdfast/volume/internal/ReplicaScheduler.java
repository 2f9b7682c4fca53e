package dev.holdfast.volume.internal;

import static dev.holdfast.volume.internal.DiskFilter.bytes;
import static dev.holdfast.volume.internal.DiskFilter.shown;

import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.node.EngineDeclaration;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.DataLocality;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/**
 * Places replicas of a volume, all requested ones or none. {@link DiskFilter} selects the usable
 * disks, of which the best is taken:
 *
 * <ol>
 *   <li>the node that uses the volume, if its data should be local and no replica is there
 *   <li>a node without a replica in a zone without one
 *   <li>a node without a replica, if two may be in one zone
 *   <li>a node whose replicas all must leave, in a zone without another replica
 *   <li>the same in another zone, if two may be in one zone
 *   <li>any node, if two may be on one node
 * </ol>
 *
 * Among equal candidates the least used zone, node and disk is taken. Then a disk with a copy of
 * the volume's backing image has priority, then one with a replica of the source whose content can
 * be shared, then the disk with the most promisable space. Replicas placed in the same pass count
 * as present.
 */
final class ReplicaScheduler {
  /** Annotation with the node that is preferred for the first replica. */
  static final String EXPECTED_ON = Volume.EXPECTED_ON_ANNOTATION;

  private final SchedulerSettings settings;
  private final NodeInventory nodes;
  private final Volume volume;
  private final List<Replica> existing;
  private final Set<Placement.Target> preferred;
  private final EngineDeclaration declared;

  /**
   * Creates a scheduler for a volume.
   *
   * @param existing replicas of all volumes, including this one
   */
  ReplicaScheduler(
      SchedulerSettings settings, NodeInventory nodes, Volume volume, List<Replica> existing) {
    this.settings = settings.over(volume.spec());
    this.nodes = nodes;
    this.volume = volume;
    this.existing = List.copyOf(existing);
    this.preferred = new CloneTopology(volume).preferred(existing);
    this.declared = nodes.declared(volume.spec().dataEngine());
  }

  /** A disk that may be usable. */
  private record Candidate(
      String node,
      String disk,
      Placement.Target target,
      String zone,
      BigInteger promisable,
      DiskPromises.Promised promised) {
    private BigInteger room() {
      return promisable.subtract(promised.bytes());
    }

    private boolean hasRoom(BigInteger size) {
      return room().compareTo(size) >= 0;
    }
  }

  /** Places the wanted replicas. */
  Placement place(Placement.Wanted wanted) {
    if (declared.isSharedDisk()) {
      return placeOnSharedDisk(wanted);
    }
    if (!nodes.isLocalOnly(volume.spec().dataEngine())) {
      return place(wanted, nodes.all());
    }
    // All replicas on one node, which will use the volume.
    Optional<Placement> found =
        nodesForAll().stream()
            .map(node -> place(wanted, List.of(node)))
            .filter(Placement::isComplete)
            .findFirst();
    return found.orElseGet(() -> place(wanted, onlyPossible()));
  }

  /** Places the replica on a shared disk that the user of the volume sees, if possible. */
  private Placement placeOnSharedDisk(Placement.Wanted wanted) {
    return nodes
        .find(expectedUser())
        .map(node -> place(wanted, List.of(node)))
        .filter(Placement::isComplete)
        .orElseGet(() -> place(wanted, nodes.all()));
  }

  private List<Node> onlyPossible() {
    Optional<Node> pinned = ownReplicas().stream().findFirst().flatMap(this::nodeOf);
    return pinned.map(List::of).orElse(nodes.all().size() == 1 ? nodes.all() : List.of());
  }

  private List<Node> nodesForAll() {
    Optional<Node> pinned = ownReplicas().stream().findFirst().flatMap(this::nodeOf);
    return pinned.isPresent()
        ? List.of(pinned.get())
        : nodes.all().stream()
            .sorted(
                Comparator.comparing((Node node) -> !node.name().equals(user()))
                    .thenComparing(Node::name))
            .toList();
  }

  private Optional<Node> nodeOf(Replica replica) {
    return nodes.find(replica.spec().nodeID());
  }

  private List<Replica> ownReplicas() {
    return existing.stream()
        .filter(replica -> replica.spec().volume().equals(volume.name()))
        .filter(replica -> replica.spec().failedAt().isEmpty() && !replica.isDisposable())
        .toList();
  }

  /** Returns the node that uses the volume, or to which it is being attached. */
  private String user() {
    String wanted = volume.spec().nodeID();
    return wanted.isEmpty() ? volume.status().currentNodeID() : wanted;
  }

  /** Returns the node that will use the volume, while it is unused. */
  private String expectedUser() {
    String said = volume.metadata().annotations().getOrDefault(EXPECTED_ON, "");
    return user().isEmpty() ? said : user();
  }

  private Placement place(Placement.Wanted wanted, List<Node> allowed) {
    TreeMap<String, String> refused = new TreeMap<>();
    List<Candidate> candidates = candidates(allowed, refused);
    ReplicaPlacements occupancy = new ReplicaPlacements(ownReplicas(), nodes);
    BigInteger size = bytes(volume.spec().size());
    List<Placement.Target> targets = new ArrayList<>();
    for (int i = 0; i < wanted.copies(); i++) {
      Optional<Candidate> best =
          best(candidates.stream().filter(c -> c.hasRoom(size)).toList(), occupancy);
      if (best.isEmpty()) {
        return incomplete(candidates, occupancy, refused);
      }
      best.get().promised().add(size);
      take(best.get(), occupancy, targets);
    }
    if (wanted.witness()) {
      List<Candidate> free = candidates.stream().filter(c -> isFree(c, occupancy)).toList();
      Optional<Candidate> best = best(free, occupancy);
      if (best.isEmpty()) {
        return noPlaceForWitness(refused);
      }
      take(best.get(), occupancy, targets);
    }
    return new Placement(targets, "", "");
  }

  private static void take(
      Candidate candidate, ReplicaPlacements occupancy, List<Placement.Target> targets) {
    occupancy.add(candidate.node, candidate.zone, candidate.disk);
    targets.add(candidate.target);
  }

  private static boolean isFree(Candidate candidate, ReplicaPlacements occupancy) {
    String node = candidate.node;
    return occupancy.onNode(node) == 0 && occupancy.leavingNode(node) == 0;
  }

  private List<Candidate> candidates(List<Node> allowed, Map<String, String> refused) {
    DiskFilter filter = new DiskFilter(settings, volume, declared);
    DiskPromises promises = new DiskPromises(nodes, existing);
    List<Candidate> candidates = new ArrayList<>();
    for (Node node : allowed) {
      node.spec()
          .disks()
          .forEach(
              (id, disk) -> {
                Optional<String> fault =
                    wrongNode(node)
                        .or(() -> filter.fault(node, id, disk))
                        .or(() -> refusedElsewhere(node, id));
                if (fault.isPresent()) {
                  refused.put(node.name() + "/" + id, fault.get());
                } else {
                  candidates.add(candidate(node, id, disk, filter, promises));
                }
              });
    }
    return candidates;
  }

  private Optional<String> refusedElsewhere(Node node, String id) {
    return declared.isShared(node, id) ? nodes.refusedElsewhere(node, id) : Optional.empty();
  }

  private Optional<String> wrongNode(Node node) {
    boolean strict = volume.spec().dataLocality() == DataLocality.STRICT_LOCAL;
    return strict && !user().isEmpty() && !node.name().equals(user())
        ? Optional.of("the volume's data must be on node " + user())
        : Optional.empty();
  }

  private Candidate candidate(
      Node node, String id, DiskSpec disk, DiskFilter filter, DiskPromises promises) {
    DiskStatus status = node.status().diskStatus().getOrDefault(id, DiskStatus.EMPTY);
    Placement.Target target =
        declared.isShared(node, id)
            ? Placement.Target.shared(status.diskUUID())
            : new Placement.Target(node.name(), id, disk.path(), "");
    return new Candidate(
        node.name(),
        id,
        target,
        nodes.zone(node.name()),
        filter.promisable(disk, status),
        promises.of(node, id));
  }

  private Optional<Candidate> best(List<Candidate> candidates, ReplicaPlacements occupancy) {
    return candidates.stream()
        .filter(c -> step(c, occupancy).isPresent())
        .min(
            Comparator.<Candidate>comparingInt(c -> step(c, occupancy).orElseThrow())
                .thenComparingInt(c -> occupancy.inZone(c.zone))
                .thenComparingInt(c -> occupancy.onNode(c.node))
                .thenComparingInt(c -> occupancy.onDisk(c.node, c.disk))
                .thenComparing(c -> !nodes.hasImage(c.node, c.disk))
                .thenComparing(c -> !preferred.contains(c.target))
                .thenComparing(Candidate::room, Comparator.reverseOrder())
                .thenComparing(c -> c.node)
                .thenComparing(c -> c.disk));
  }

  /** Returns the rank of a candidate, empty if it must not be used. */
  private OptionalInt step(Candidate candidate, ReplicaPlacements occupancy) {
    String node = candidate.node;
    boolean usedZone = occupancy.inZone(candidate.zone) > 0;
    if (isForbidden(node, candidate.zone, candidate.disk, occupancy)) {
      return OptionalInt.empty();
    }
    if (occupancy.onNode(node) > 0) {
      return OptionalInt.of(5);
    }
    boolean local = volume.spec().dataLocality() != DataLocality.DISABLED;
    if (local && node.equals(expectedUser())) {
      return OptionalInt.of(0);
    }
    if (occupancy.leavingNode(node) > 0) {
      return OptionalInt.of(usedZone ? 4 : 3);
    }
    return OptionalInt.of(usedZone ? 2 : 1);
  }

  private boolean isForbidden(String node, String zone, String disk, ReplicaPlacements occupancy) {
    return (occupancy.onDisk(node, disk) > 0 && !settings.diskSoftAntiAffinity())
        || (occupancy.onNode(node) > 0 && !settings.nodeSoftAntiAffinity())
        || (occupancy.inZone(zone) > 0 && !settings.zoneSoftAntiAffinity());
  }

  /** Returns whether an ignored replica may count again on its disk. */
  boolean mayReturn(Replica replica) {
    List<Replica> others =
        ownReplicas().stream().filter(other -> !other.name().equals(replica.name())).toList();
    String node = replica.spec().nodeID();
    return !isForbidden(
        node, nodes.zone(node), replica.spec().diskID(), new ReplicaPlacements(others, nodes));
  }

  private Placement noPlaceForWitness(Map<String, String> refused) {
    return new Placement(
        List.of(),
        "NoNodeForWitness",
        "the witness of volume "
            + volume.name()
            + " needs a disk on a node that has no replica of the volume; add a node"
            + listed(refused));
  }

  private Placement incomplete(
      List<Candidate> candidates, ReplicaPlacements occupancy, Map<String, String> refused) {
    BigInteger size = bytes(volume.spec().size());
    boolean full = candidates.stream().anyMatch(c -> !c.hasRoom(size));
    for (Candidate candidate : candidates) {
      String disk = candidate.node + "/" + candidate.disk;
      if (!candidate.hasRoom(size)) {
        refused.put(
            disk,
            "only "
                + shown(candidate.room().max(BigInteger.ZERO))
                + " can still be allocated on it"
                + limit(candidate));
      } else if (step(candidate, occupancy).isEmpty()) {
        refused.put(disk, "it, its node or its zone holds another replica of the volume");
      }
    }
    String reason = full ? "InsufficientStorage" : candidates.isEmpty() ? "NoDisk" : "TooFewDisks";
    return new Placement(
        List.of(),
        reason,
        (declared.isSharedDisk() ? 1 : volume.spec().numberOfReplicas())
            + " replicas of "
            + shown(size)
            + " cannot be placed on different disks"
            + (refused.isEmpty() ? ": there is no disk; add one with 'holdfast disk add'" : "")
            + listed(refused));
  }

  private String limit(Candidate candidate) {
    boolean directory =
        nodes
            .find(candidate.node)
            .map(node -> node.spec().disks().getOrDefault(candidate.disk, DiskSpec.EMPTY))
            .filter(disk -> disk.type() == DiskType.DIRECTORY)
            .isPresent();
    return directory
        ? " (storage-over-provisioning-percentage " + settings.overProvisioningPercentage() + ")"
        : " by its engine";
  }

  /** Lists rejected disks; disks with the same reason share one sentence. */
  private static String listed(Map<String, String> refused) {
    Map<String, List<String>> disks = new LinkedHashMap<>();
    refused.forEach(
        (disk, reason) -> disks.computeIfAbsent(reason, unused -> new ArrayList<>()).add(disk));
    StringBuilder text = new StringBuilder();
    String separator = ": ";
    for (Map.Entry<String, List<String>> entry : disks.entrySet()) {
      List<String> names = entry.getValue();
      text.append(separator).append(names.size() == 1 ? "disk " : "disks ");
      text.append(String.join(", ", names)).append(": ").append(entry.getKey());
      separator = "; ";
    }
    return text.toString();
  }
}
