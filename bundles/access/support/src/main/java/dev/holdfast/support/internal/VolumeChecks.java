package dev.holdfast.support.internal;

import dev.holdfast.client.Explanation;
import dev.holdfast.health.HealthFinding;
import dev.holdfast.health.HealthSeverity;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks of volumes. Pure functions. */
final class VolumeChecks {
  /** Time within which a rebuild normally starts. */
  static final Duration DEGRADED_AFTER = Duration.ofMinutes(10);

  static final Duration STUCK_AFTER = Duration.ofMinutes(2);

  private final ClusterView view;
  private final Map<String, VolumeAttachment> attachments;
  private final Map<String, List<Replica>> replicas;
  private final Map<String, Node> nodes;

  private VolumeChecks(ClusterView view) {
    this.view = view;
    this.attachments =
        view.attachments().stream()
            .collect(Collectors.toMap(VolumeAttachment::name, Function.identity()));
    this.replicas = view.replicas().stream().collect(Collectors.groupingBy(r -> r.spec().volume()));
    this.nodes = view.nodes().stream().collect(Collectors.toMap(Node::name, Function.identity()));
  }

  static List<HealthFinding> findings(ClusterView view) {
    VolumeChecks checks = new VolumeChecks(view);
    return view.volumes().stream().flatMap(checks::of).toList();
  }

  private Stream<HealthFinding> of(Volume volume) {
    return Stream.of(faulted(volume), degraded(volume), stuck(volume), unprotected(volume))
        .flatMap(Optional::stream);
  }

  private static Optional<HealthFinding> faulted(Volume volume) {
    if (volume.status().robustness() != Robustness.FAULTED) {
      return Optional.empty();
    }
    Optional<Condition> why =
        Condition.find(volume.status().conditions(), Volume.FAULTED_CONDITION);
    return Optional.of(
        new HealthFinding(
            "VOLUME_FAULTED",
            HealthSeverity.ERROR,
            objects(volume),
            why.map(Condition::lastTransitionTime),
            "volume "
                + volume.name()
                + " cannot be used: "
                + why.map(Condition::message)
                    .filter(text -> !text.isBlank())
                    .orElse("no replica is current and reachable"),
            "bring the nodes and disks of its replicas back; holdfast volume why "
                + volume.name()
                + " names them"));
  }

  private Optional<HealthFinding> degraded(Volume volume) {
    Optional<Instant> since = volume.status().lastDegradedAt();
    boolean isLong = since.filter(begin -> isOver(begin, DEGRADED_AFTER)).isPresent();
    if (volume.status().robustness() != Robustness.DEGRADED || !isLong) {
      return Optional.empty();
    }
    return Optional.of(
        new HealthFinding(
            "VOLUME_DEGRADED",
            HealthSeverity.WARNING,
            objects(volume),
            since,
            "volume "
                + volume.name()
                + " has "
                + current(volume).size()
                + " of "
                + volume.spec().numberOfReplicas()
                + " replicas",
            "start the missing node, or add a disk: holdfast disk add PATH; holdfast volume get "
                + volume.name()
                + " shows the replicas"));
  }

  private Optional<HealthFinding> stuck(Volume volume) {
    Optional<Instant> since =
        switch (volume.status().state()) {
          case CREATING -> volume.metadata().creationTimestamp();
          case ATTACHING -> waitingSince(volume);
          case DETACHED, ATTACHED, DETACHING, DELETING -> Optional.empty();
        };
    return since
        .filter(begin -> isOver(begin, STUCK_AFTER))
        .map(
            begin ->
                new HealthFinding(
                    "VOLUME_STUCK",
                    HealthSeverity.WARNING,
                    objects(volume),
                    since,
                    "volume " + volume.name() + " is still " + state(volume) + ": " + why(volume),
                    "see what it waits for: holdfast volume why " + volume.name()));
  }

  private static VolumeState state(Volume volume) {
    return volume.status().state();
  }

  /** Returns the time since which the oldest ticket of the volume waits. */
  private Optional<Instant> waitingSince(Volume volume) {
    return Optional.ofNullable(attachments.get(volume.name())).stream()
        .flatMap(found -> found.status().attachmentTicketStatuses().values().stream())
        .flatMap(
            status ->
                Condition.find(status.conditions(), AttachmentTicketStatus.SATISFIED_CONDITION)
                    .stream())
        .filter(condition -> condition.status() != Condition.Status.TRUE)
        .map(Condition::lastTransitionTime)
        .min(Comparator.naturalOrder());
  }

  private String why(Volume volume) {
    Explanation explanation =
        Explanation.of(volume, Optional.ofNullable(attachments.get(volume.name())));
    return Stream.of(
            explanation.problems().stream().map(Condition::message),
            explanation.waiting().stream().map(Explanation.Request::message),
            explanation.holders().stream()
                .filter(request -> !request.satisfied())
                .map(Explanation.Request::message))
        .flatMap(Function.identity())
        .filter(text -> !text.isBlank())
        .findFirst()
        .map(text -> text.replaceAll("\\s+", " "))
        .orElse("no controller says why");
  }

  /** Reports several replicas on one file system, which would be lost together. */
  private Optional<HealthFinding> unprotected(Volume volume) {
    List<Replica> current = current(volume);
    List<String> places =
        current.stream().map(this::filesystem).flatMap(Optional::stream).distinct().toList();
    boolean known = current.stream().allMatch(replica -> filesystem(replica).isPresent());
    if (current.size() < 2 || !known || places.size() != 1) {
      return Optional.empty();
    }
    List<String> objects = new ArrayList<>(objects(volume));
    current.forEach(
        replica -> objects.add("disk/" + replica.spec().nodeID() + "/" + replica.spec().diskID()));
    return Optional.of(
        new HealthFinding(
            "VOLUME_UNPROTECTED",
            HealthSeverity.WARNING,
            objects.stream().distinct().toList(),
            Optional.empty(),
            "volume "
                + volume.name()
                + ": all "
                + current.size()
                + " replicas are on one file system of node "
                + current.get(0).spec().nodeID()
                + " and are lost with it",
            "add a disk on another file system or node: holdfast disk add PATH --node NODE"));
  }

  private Optional<String> filesystem(Replica replica) {
    return Optional.ofNullable(nodes.get(replica.spec().nodeID()))
        .map(node -> node.status().diskStatus().get(replica.spec().diskID()))
        .map(DiskStatus::filesystem)
        .filter(name -> !name.isEmpty())
        .map(name -> replica.spec().nodeID() + "/" + name);
  }

  private List<Replica> current(Volume volume) {
    return replicas.getOrDefault(volume.name(), List.of()).stream()
        .filter(replica -> replica.status().mode() == ReplicaMode.RW)
        .filter(replica -> !replica.spec().witness() && replica.spec().failedAt().isEmpty())
        .toList();
  }

  private boolean isOver(Instant begin, Duration limit) {
    return Duration.between(begin, view.now()).compareTo(limit) > 0;
  }

  private static List<String> objects(Volume volume) {
    return List.of("volume/" + volume.name());
  }
}
