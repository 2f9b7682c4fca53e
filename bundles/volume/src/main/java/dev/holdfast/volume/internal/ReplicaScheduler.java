package dev.holdfast.volume.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.DiskSpec;
import dev.holdfast.resource.DiskStatus;
import dev.holdfast.resource.Node;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Replica;
import dev.holdfast.resource.Volume;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Places replicas: on disks that are ready, allowed, tagged as asked and roomy enough; on nodes
 * without a replica of the volume first, then on disks without one; among equals where most can
 * still be promised. All of what is asked for, or nothing.
 */
final class ReplicaScheduler {
  private static final BigInteger HUNDRED = BigInteger.valueOf(100);

  private final SchedulerSettings settings;
  private final List<Node> nodes;

  ReplicaScheduler(SchedulerSettings settings, List<Node> nodes) {
    this.settings = settings;
    this.nodes = List.copyOf(nodes);
  }

  /** A disk that might do, with what is on it so far. */
  private static final class Candidate {
    private final Placement.Target target;
    private final BigInteger promisable;
    private BigInteger promised;
    private int ofVolume;

    private Candidate(Placement.Target target, BigInteger promisable, BigInteger promised) {
      this.target = target;
      this.promisable = promisable;
      this.promised = promised;
    }

    private BigInteger room() {
      return promisable.subtract(promised);
    }
  }

  /**
   * Places replicas of a volume.
   *
   * @param count how many
   * @param existing replicas of all volumes, this one's included
   */
  Placement place(Volume volume, int count, List<Replica> existing) {
    TreeMap<String, String> refused = new TreeMap<>();
    List<Candidate> candidates = candidates(volume, existing, refused);
    List<Placement.Target> targets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Optional<Candidate> best = best(volume, candidates);
      if (best.isEmpty()) {
        return incomplete(volume, candidates, refused);
      }
      best.get().promised = best.get().promised.add(bytes(volume.spec().size()));
      best.get().ofVolume++;
      targets.add(best.get().target);
    }
    return new Placement(targets, "", "");
  }

  private List<Candidate> candidates(
      Volume volume, List<Replica> existing, Map<String, String> refused) {
    List<Candidate> candidates = new ArrayList<>();
    for (Node node : nodes) {
      Optional<String> nodeFault = nodeFault(node, volume);
      node.spec()
          .disks()
          .forEach(
              (id, spec) -> {
                Optional<String> fault = nodeFault.or(() -> diskFault(node, id, spec, volume));
                if (fault.isPresent()) {
                  refused.put(node.name() + "/" + id, fault.get());
                } else {
                  candidates.add(candidate(node, id, spec, volume, existing));
                }
              });
    }
    return candidates;
  }

  private static Optional<String> nodeFault(Node node, Volume volume) {
    if (!Condition.isTrue(node.status().conditions(), "Ready")) {
      return Optional.of("its node is not ready");
    }
    if (node.isBeingDeleted() || !node.spec().allowScheduling()) {
      return Optional.of("its node does not allow scheduling");
    }
    if (!node.spec().tags().containsAll(volume.spec().nodeSelector())) {
      return Optional.of("its node lacks a tag of " + volume.spec().nodeSelector());
    }
    List<String> engines = node.status().engines();
    if (!engines.isEmpty() && !engines.contains(volume.spec().dataEngine())) {
      return Optional.of("engine " + volume.spec().dataEngine() + " is not installed on its node");
    }
    return Optional.empty();
  }

  private Optional<String> diskFault(Node node, String id, DiskSpec spec, Volume volume) {
    DiskStatus status = node.status().diskStatus().getOrDefault(id, DiskStatus.EMPTY);
    if (!Condition.isTrue(status.conditions(), "Ready")) {
      return Optional.of("it is not ready");
    }
    if (!spec.allowScheduling()) {
      return Optional.of("it does not allow scheduling");
    }
    if (!spec.tags().containsAll(volume.spec().diskSelector())) {
      return Optional.of("it lacks a tag of " + volume.spec().diskSelector());
    }
    BigInteger least =
        bytes(status.storageMaximum())
            .multiply(BigInteger.valueOf(settings.minimalAvailablePercentage()))
            .divide(HUNDRED);
    if (bytes(status.storageAvailable()).compareTo(least) <= 0) {
      return Optional.of(
          "only "
              + mebibytes(bytes(status.storageAvailable()))
              + " are free, and "
              + settings.minimalAvailablePercentage()
              + " % ("
              + mebibytes(least)
              + ") must stay free (storage-minimal-available-percentage)");
    }
    return Optional.empty();
  }

  private Candidate candidate(
      Node node, String id, DiskSpec spec, Volume volume, List<Replica> existing) {
    DiskStatus status = node.status().diskStatus().getOrDefault(id, DiskStatus.EMPTY);
    BigInteger usable = bytes(status.storageMaximum()).subtract(bytes(spec.storageReserved()));
    List<Replica> here =
        existing.stream()
            .filter(r -> r.spec().nodeID().equals(node.name()) && r.spec().diskID().equals(id))
            .toList();
    Candidate candidate =
        new Candidate(
            new Placement.Target(node.name(), id, spec.path()),
            usable
                .max(BigInteger.ZERO)
                .multiply(BigInteger.valueOf(settings.overProvisioningPercentage()))
                .divide(HUNDRED),
            here.stream()
                .map(r -> bytes(r.spec().size()))
                .reduce(BigInteger.ZERO, BigInteger::add));
    candidate.ofVolume =
        (int) here.stream().filter(r -> r.spec().volume().equals(volume.name())).count();
    return candidate;
  }

  private Optional<Candidate> best(Volume volume, List<Candidate> candidates) {
    return candidates.stream()
        .filter(c -> hasRoom(c, volume) && isAllowed(c, candidates))
        .min(
            Comparator.<Candidate>comparingInt(c -> onNode(c.target.nodeID(), candidates))
                .thenComparingInt(c -> c.ofVolume)
                .thenComparing(Candidate::room, Comparator.reverseOrder())
                .thenComparing(c -> c.target.nodeID())
                .thenComparing(c -> c.target.diskID()));
  }

  private static boolean hasRoom(Candidate candidate, Volume volume) {
    return candidate.room().compareTo(bytes(volume.spec().size())) >= 0;
  }

  private boolean isAllowed(Candidate candidate, List<Candidate> candidates) {
    return (settings.diskSoftAntiAffinity() || candidate.ofVolume == 0)
        && (settings.nodeSoftAntiAffinity() || onNode(candidate.target.nodeID(), candidates) == 0);
  }

  private static int onNode(String node, List<Candidate> candidates) {
    return candidates.stream()
        .filter(c -> c.target.nodeID().equals(node))
        .mapToInt(c -> c.ofVolume)
        .sum();
  }

  private Placement incomplete(
      Volume volume, List<Candidate> candidates, Map<String, String> refused) {
    boolean full = candidates.stream().anyMatch(c -> !hasRoom(c, volume));
    for (Candidate candidate : candidates) {
      String disk = candidate.target.nodeID() + "/" + candidate.target.diskID();
      if (!hasRoom(candidate, volume)) {
        refused.put(
            disk,
            "only "
                + mebibytes(candidate.room().max(BigInteger.ZERO))
                + " can still be promised of it (storage-over-provisioning-percentage "
                + settings.overProvisioningPercentage()
                + ")");
      } else if (!isAllowed(candidate, candidates)) {
        refused.put(disk, "it or its node holds another replica of the volume");
      }
    }
    StringBuilder text =
        new StringBuilder(
            volume.spec().numberOfReplicas()
                + " replicas of "
                + mebibytes(bytes(volume.spec().size()))
                + " cannot be placed on different disks");
    if (refused.isEmpty()) {
      text.append(": there is no disk; add one with 'holdfast disk add'");
    }
    String separator = ": ";
    for (var entry : refused.entrySet()) {
      text.append(separator).append("disk ").append(entry.getKey()).append(": ");
      text.append(entry.getValue());
      separator = "; ";
    }
    String reason = full ? "InsufficientStorage" : candidates.isEmpty() ? "NoDisk" : "TooFewDisks";
    return new Placement(List.of(), reason, text.toString());
  }

  private static BigInteger bytes(Quantity quantity) {
    return BigInteger.valueOf(quantity.bytes());
  }

  private static String mebibytes(BigInteger bytes) {
    return bytes.shiftRight(20) + "Mi";
  }
}
