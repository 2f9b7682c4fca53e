package dev.holdfast.volume.internal;

import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.RebuildState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.ReplicaSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Copies the running engine's report into the status of its replicas. Writes only while an engine
 * runs with its present spec, because a missing report does not mean a missing replica.
 */
final class ReplicaStatusSync {
  private final VolumeView view;
  private final Map<String, ReplicaMode> modes;
  private final String target;

  private ReplicaStatusSync(VolumeView view) {
    this.view = view;
    this.modes = view.running().map(e -> e.status().replicaModeMap()).orElse(Map.of());
    this.target = view.engine().map(e -> e.spec().rebuildReplica()).orElse("");
  }

  /** Returns the updated replicas in the same order. */
  static List<Replica> of(VolumeView view) {
    ReplicaStatusSync marks = new ReplicaStatusSync(view);
    return view.replicas().stream()
        .map(replica -> replica.withSpec(marks.marked(replica)))
        .toList();
  }

  private ReplicaSpec marked(Replica replica) {
    boolean leaves = view.nodes().isEvicting(replica) || view.isHeld(replica);
    ReplicaSpec spec = replica.spec().withEvictionRequested(leaves);
    if (isLost(replica)) {
      return withFailure(spec);
    }
    if (spec.failedAt().isPresent() || !modes.containsKey(replica.name())) {
      return rebuildFailed(replica) ? failed(spec) : spec;
    }
    return switch (modes.get(replica.name())) {
      case RW -> current(spec);
      case WO -> spec;
      case ERR -> afterFailure(replica, spec);
    };
  }

  /**
   * Returns whether the data of a replica is lost. A rebuild cannot start without its directory.
   */
  private boolean isLost(Replica replica) {
    ReplicaMode mode = modes.getOrDefault(replica.name(), ReplicaMode.ERR);
    return mode == ReplicaMode.ERR
        && modes.containsValue(ReplicaMode.RW)
        && replica.spec().failedAt().isEmpty()
        && LostData.isLost(replica);
  }

  private ReplicaSpec current(ReplicaSpec spec) {
    boolean known =
        spec.lastHealthyAt().isPresent()
            && spec.lastFailedAt().filter(f -> !spec.lastHealthyAt().get().isAfter(f)).isEmpty();
    if (spec.healthyAt().isPresent() && known && spec.rebuildRetryCount() == 0) {
      return spec;
    }
    Instant now = after(spec.lastFailedAt());
    return spec.withHealthyAt(spec.healthyAt().or(() -> Optional.of(now)))
        .withLastHealthyAt(known ? spec.lastHealthyAt() : Optional.of(now))
        .withRebuildRetryCount(0);
  }

  /**
   * Returns the spec after a failure. The last replica is never excluded; one that was never
   * current only waits for its rebuild.
   */
  private ReplicaSpec afterFailure(Replica replica, ReplicaSpec spec) {
    if (rebuildFailed(replica)) {
      return failed(spec);
    }
    boolean member = spec.healthyAt().isPresent() && !replica.name().equals(target);
    boolean anotherIsCurrent = modes.containsValue(ReplicaMode.RW);
    return member && anotherIsCurrent ? withFailure(spec) : spec;
  }

  private boolean rebuildFailed(Replica replica) {
    return replica.name().equals(target)
        && replica.spec().failedAt().isEmpty()
        && modes.get(replica.name()) != ReplicaMode.RW
        && view.running().filter(e -> saysFailed(e, replica)).isPresent();
  }

  private static boolean saysFailed(Engine engine, Replica replica) {
    return Optional.ofNullable(engine.status().rebuildStatus().get(replica.name()))
        .filter(status -> status.attempt() == engine.spec().rebuildAttempt())
        .filter(status -> status.state() == RebuildState.ERROR)
        .isPresent();
  }

  private ReplicaSpec failed(ReplicaSpec spec) {
    return withFailure(spec).withRebuildRetryCount(spec.rebuildRetryCount() + 1);
  }

  private ReplicaSpec withFailure(ReplicaSpec spec) {
    Instant now = after(spec.lastHealthyAt());
    return spec.withFailedAt(Optional.of(now)).withLastFailedAt(Optional.of(now));
  }

  /**
   * Returns the time, but after an earlier event, which may come from a clock ahead of this one.
   */
  private Instant after(Optional<Instant> earlier) {
    Instant now = view.now().truncatedTo(ChronoUnit.SECONDS);
    return earlier
        .map(event -> event.plus(Duration.ofSeconds(1)))
        .filter(least -> least.isAfter(now))
        .orElse(now);
  }
}
