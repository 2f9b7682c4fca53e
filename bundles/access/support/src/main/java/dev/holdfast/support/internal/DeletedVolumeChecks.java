package dev.holdfast.support.internal;

import dev.holdfast.health.HealthFinding;
import dev.holdfast.health.HealthSeverity;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.volume.Replica;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Checks of deleted volumes whose content is kept. Pure functions. */
final class DeletedVolumeChecks {
  /** Time within which nodes normally remove the content of replicas. */
  static final Duration STUCK_AFTER = Duration.ofMinutes(10);

  private DeletedVolumeChecks() {}

  static List<HealthFinding> findings(ClusterView view) {
    return view.deletedVolumes().stream()
        .flatMap(deleted -> Stream.of(purge(deleted, view), hindered(deleted)))
        .flatMap(Optional::stream)
        .toList();
  }

  /**
   * Reports a delayed purge. The content is removed after the nodes of all replicas have removed
   * it.
   */
  private static Optional<HealthFinding> purge(DeletedVolume deleted, ClusterView view) {
    return due(deleted)
        .filter(since -> Duration.between(since, view.now()).compareTo(STUCK_AFTER) > 0)
        .map(
            since ->
                new HealthFinding(
                    "DELETED_VOLUME_STUCK",
                    HealthSeverity.WARNING,
                    objects(deleted),
                    Optional.of(since),
                    "the content of deleted volume "
                        + deleted.name()
                        + " still uses "
                        + deleted.spaceOn(view.replicas())
                        + places(deleted, view),
                    "start these nodes, and see their disks: holdfast node list, holdfast disk"
                        + " list"));
  }

  /**
   * Returns the time since which the content must be removed; empty while it is retained or
   * restored.
   */
  private static Optional<Instant> due(DeletedVolume deleted) {
    return switch (deleted.status().state()) {
      case PENDING, RESTORING -> Optional.empty();
      case KEPT, PURGING ->
          deleted.isBeingDeleted()
              ? deleted.metadata().deletionTimestamp()
              : deleted.spec().purgeAt().filter(time -> !deleted.spec().undelete());
    };
  }

  private static String places(DeletedVolume deleted, ClusterView view) {
    List<String> nodes =
        view.replicas().stream()
            .filter(deleted::owns)
            .map(DeletedVolumeChecks::node)
            .filter(node -> !node.isEmpty())
            .distinct()
            .sorted()
            .toList();
    return nodes.isEmpty() ? "" : " on nodes " + String.join(", ", nodes);
  }

  private static String node(Replica replica) {
    String owner = replica.status().ownerID();
    return owner.isEmpty() ? replica.spec().nodeID() : owner;
  }

  private static Optional<HealthFinding> hindered(DeletedVolume deleted) {
    String message = deleted.status().message();
    return message.isBlank()
        ? Optional.empty()
        : Optional.of(
            new HealthFinding(
                "DELETED_VOLUME_WAITS",
                HealthSeverity.WARNING,
                objects(deleted),
                Optional.empty(),
                "deleted volume " + deleted.name() + ": " + message.replaceAll("\\s+", " "),
                "see what it waits for: holdfast volume why " + deleted.name()));
  }

  private static List<String> objects(DeletedVolume deleted) {
    return List.of("deletedvolume/" + deleted.name());
  }
}
