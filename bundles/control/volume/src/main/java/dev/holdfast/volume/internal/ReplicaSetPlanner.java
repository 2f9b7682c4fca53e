package dev.holdfast.volume.internal;

import dev.holdfast.resource.volume.DataLocality;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.RebuildState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Decides which replicas a volume has; the only class that adds, removes or deletes replicas. A
 * pure function, called with the updated replicas of {@link ReplicaStatusSync}.
 *
 * <p>It decides only while the engine runs with its present spec and reports the mode of each
 * replica. Only one change is made at a time: replicas are not added or removed during a rebuild, a
 * removal, an expansion or a move.
 */
final class ReplicaSetPlanner {
  static final int MOST_RETRIES = 5;
  private static final Duration LONGEST_BACKOFF = Duration.ofMinutes(10);
  private static final Duration FIRST_BACKOFF = Duration.ofSeconds(10);
  private static final Duration FIND_PLACE = Duration.ofSeconds(10);

  private final VolumeView view;
  private final Engine engine;
  private final EngineCommands orders;
  private final DeletionGuard safety;

  private ReplicaSetPlanner(VolumeView view, Engine engine) {
    this.view = view;
    this.engine = engine;
    this.orders = EngineCommands.of(engine.spec());
    this.safety = new DeletionGuard(view);
  }

  /** Decides the next step. */
  static ReplicaDecision decide(VolumeView view, VolumeStateTable.Goal goal) {
    EngineCommands orders =
        view.engine()
            .map(e -> EngineCommands.of(e.spec()))
            .orElseGet(() -> EngineCommands.of(EngineSpec.EMPTY));
    if (goal != VolumeStateTable.Goal.OPEN || view.volume().isBeingDeleted()) {
      return ReplicaDecision.keep(orders.rebuildingNothing().removing(List.of()));
    }
    Optional<Engine> running =
        view.running().filter(e -> e.status().replicaModeMap().containsValue(ReplicaMode.RW));
    return running
        .map(e -> new ReplicaSetPlanner(view, e).decide())
        .orElseGet(() -> ReplicaDecision.keep(orders));
  }

  private ReplicaDecision decide() {
    EngineCommands open = withoutDone(orders);
    ReplicaDecision keep = ReplicaDecision.keep(open);
    Optional<Replica> garbage = garbage();
    if (garbage.isPresent()) {
      return keep.deleting(garbage.get());
    }
    if (!open.equals(orders) || isBusy(open)) {
      return lookAgain(keep);
    }
    int missing = wanted() - staying().size();
    Optional<Replica> pending = staying().stream().filter(r -> !view.isCurrent(r)).findFirst();
    if (pending.isPresent()) {
      boolean wanted = missing >= 0 || isBetter(pending.get());
      return lookAgain(wanted ? rebuild(keep, pending.get()) : drop(keep, pending.get()));
    }
    return lookAgain(missing > 0 ? replenish(keep) : enough(keep, -missing));
  }

  private int wanted() {
    return view.wantedCopies();
  }

  /** Returns the replicas that stay in place, current or being rebuilt. */
  private List<Replica> staying() {
    return view.usableCopies().stream().filter(replica -> !isLeaving(replica)).toList();
  }

  private boolean isLeaving(Replica replica) {
    return view.nodes().isEvicting(replica)
        || view.nodes().isGivenUp(replica)
        || replica.isBeingDeleted();
  }

  /** Returns whether a surplus copy was added because its place is better than another. */
  private boolean isBetter(Replica pending) {
    List<Replica> others =
        staying().stream().filter(r -> !r.name().equals(pending.name())).toList();
    return others.size() == wanted()
        && others.stream().allMatch(view::isCurrent)
        && new ReplicaBalance(view, others).isImprovedBy(pending.spec().nodeID());
  }

  /** Removes requests that were executed or are obsolete. */
  private EngineCommands withoutDone(EngineCommands present) {
    EngineCommands open = present;
    if (!present.rebuild().isEmpty() && !isAwaited(present.rebuild())) {
      open = open.rebuildingNothing();
    }
    List<String> removed = new ArrayList<>(present.removed());
    removed.removeIf(name -> find(name).filter(this::isStillToBeRemoved).isEmpty());
    return open.removing(removed);
  }

  private Optional<Replica> find(String name) {
    return view.replicas().stream().filter(replica -> replica.name().equals(name)).findFirst();
  }

  private boolean isAwaited(String name) {
    boolean reported =
        Optional.ofNullable(engine.status().rebuildStatus().get(name))
            .filter(status -> status.attempt() == engine.spec().rebuildAttempt())
            .filter(status -> status.state() != RebuildState.IN_PROGRESS)
            .isPresent();
    return !reported
        && find(name)
            .filter(r -> r.spec().failedAt().isEmpty() && !r.isBeingDeleted())
            .filter(r -> !view.isCurrent(r))
            .isPresent();
  }

  /**
   * Returns whether a removal continues. It is cancelled if its replica is needed before it has
   * left.
   */
  private boolean isStillToBeRemoved(Replica replica) {
    if (replica.spec().failedAt().isPresent() || !view.isCurrent(replica)) {
      return true;
    }
    return currentWithout(replica) >= wanted();
  }

  private long currentWithout(Replica replica) {
    return staying().stream()
        .filter(r -> !r.name().equals(replica.name()) && view.isCurrent(r))
        .count();
  }

  private boolean isBusy(EngineCommands open) {
    Volume volume = view.volume();
    return !open.rebuild().isEmpty()
        || !open.removed().isEmpty()
        || !volume.spec().salvage().isEmpty()
        || isMoving(volume)
        || !engine.status().currentSize().equals(engine.spec().size())
        || view.replicas().stream().anyMatch(this::isBeingRemoved);
  }

  /**
   * Returns whether the removal of a replica will end. Data on an absent disk remains until the
   * disk returns or is removed from its node, and the volume must not remain degraded until then.
   */
  private boolean isBeingRemoved(Replica replica) {
    boolean endless = replica.isRemovalBlocked() && !view.isOnSharedDisk();
    return view.isGoing(replica) && !endless;
  }

  /**
   * Returns whether a live migration delays the planning. Serving on many nodes may last long and
   * does not.
   */
  private boolean isMoving(Volume volume) {
    boolean moves =
        !volume.spec().migrationNodeID().isEmpty()
            || !volume.status().currentMigrationNodeID().isEmpty();
    return moves && !view.nodes().declared(volume.spec().dataEngine()).servesManyNodes();
  }

  /** Returns a replica with obsolete data that can be deleted safely. */
  private Optional<Replica> garbage() {
    return view.replicas().stream()
        .filter(replica -> !view.isGoing(replica))
        .filter(replica -> isUseless(replica) && safety.mayDelete(replica))
        .min(Comparator.comparing(Replica::name));
  }

  private boolean isUseless(Replica replica) {
    Optional<Instant> failedAt = replica.spec().failedAt();
    if (failedAt.isEmpty()) {
      // The replica was never current and is on a disk that must be vacated, so it is not rebuilt.
      boolean untouched =
          replica.spec().healthyAt().isEmpty() && !orders.rebuild().equals(replica.name());
      return untouched && isLeaving(replica);
    }
    Duration stale = Duration.ofMinutes(view.volume().spec().staleReplicaTimeout());
    return isLeaving(replica)
        || orders.removed().contains(replica.name())
        || replica.spec().rebuildRetryCount() >= MOST_RETRIES
        || failedAt.get().plus(stale).isBefore(view.now());
  }

  /** Removes an unneeded copy that was not rebuilt yet. */
  private ReplicaDecision drop(ReplicaDecision keep, Replica pending) {
    return safety.mayDelete(pending) ? keep.deleting(pending) : keep;
  }

  private ReplicaDecision rebuild(ReplicaDecision keep, Replica pending) {
    if (!can(NodeInventory.REBUILD)) {
      return noRebuild(keep);
    }
    if (!pending.status().provisioned() || !view.nodes().isUsable(pending)) {
      boolean late = pending.metadata().creationTimestamp().filter(this::isLongAgo).isPresent();
      return late && pending.spec().healthyAt().isEmpty() && safety.mayDelete(pending)
          ? keep.deleting(pending)
          : keep.because(
                  "ReplicaNotReady",
                  "replica " + pending.name() + " is not ready on node " + pending.spec().nodeID())
              .lookingAgainAfter(FIND_PLACE);
    }
    Optional<ReplicaDecision> full = tooMany(keep, pending.spec().nodeID());
    return full.orElseGet(() -> ReplicaDecision.keep(keep.orders().rebuilding(pending.name())));
  }

  private boolean isLongAgo(Instant time) {
    return time.plus(view.settings().replenishmentWait()).isBefore(view.now());
  }

  private Optional<ReplicaDecision> tooMany(ReplicaDecision keep, String node) {
    int most = view.settings().rebuildsPerNode();
    return view.rebuilds().getOrDefault(node, 0) < most
        ? Optional.empty()
        : Optional.of(
            keep.because(
                    "RebuildLimitReached",
                    "node "
                        + node
                        + " rebuilds as many replicas as the setting"
                        + " concurrent-replica-rebuild-per-node-limit allows: "
                        + most)
                .lookingAgainAfter(FIND_PLACE));
  }

  private boolean can(String capability) {
    return view.nodes()
        .can(engine.status().nodeID(), view.volume().spec().dataEngine(), capability);
  }

  private ReplicaDecision noRebuild(ReplicaDecision keep) {
    return keep.because(
        "RebuildUnsupported",
        "engine " + view.volume().spec().dataEngine() + " cannot rebuild a replica");
  }

  /** Adds a copy: revives a failed one, or creates a new one. */
  private ReplicaDecision replenish(ReplicaDecision keep) {
    if (!can(NodeInventory.REBUILD)) {
      return noRebuild(keep);
    }
    if (view.settings().rebuildsPerNode() == 0) {
      return tooMany(keep, engine.status().nodeID()).orElse(keep);
    }
    List<Replica> reusable =
        view.replicas().stream()
            .filter(this::mayComeBack)
            .sorted(Comparator.comparing(this::retryIn).thenComparing(Replica::name))
            .toList();
    Optional<Replica> ready =
        reusable.stream()
            .filter(replica -> view.nodes().isUsable(replica) && retryIn(replica).isZero())
            .findFirst();
    if (ready.isPresent()) {
      return tooMany(keep, ready.get().spec().nodeID()).orElseGet(() -> keep.reviving(ready.get()));
    }
    List<Replica> awaited = reusable.isEmpty() ? LostData.among(view.replicas()) : reusable;
    Optional<Duration> patience = awaited.isEmpty() ? Optional.empty() : patience();
    if (patience.isPresent()) {
      return waitFor(keep, awaited.get(0), patience.get());
    }
    Placement place = place();
    return place.isComplete()
        ? keep.making(place)
        : keep.because(place.reason(), place.message()).lookingAgainAfter(FIND_PLACE);
  }

  private ReplicaDecision waitFor(ReplicaDecision keep, Replica replica, Duration patience) {
    Duration next = retryIn(replica);
    return keep.because(
            "WaitingForReplica",
            "a new replica is not made before replica "
                + replica.name()
                + location(replica)
                + " had time to come back (replica-replenishment-wait-interval)")
        .lookingAgainAfter(next.isZero() || next.compareTo(patience) > 0 ? patience : next);
  }

  /** Returns the location of a replica. A replica on a shared disk has no node. */
  private static String location(Replica replica) {
    String node = replica.spec().nodeID();
    return node.isEmpty() ? "" : " on node " + node;
  }

  private ReplicaScheduler scheduler() {
    return new ReplicaScheduler(
        view.settings().scheduler(), view.nodes(), view.volume(), allReplicas());
  }

  private Placement place() {
    return scheduler().place(Placement.Wanted.copies(1));
  }

  private List<Replica> allReplicas() {
    List<Replica> all =
        new ArrayList<>(
            view.allReplicas().stream()
                .filter(r -> !r.spec().volume().equals(view.volume().name()))
                .toList());
    all.addAll(view.replicas());
    return all;
  }

  private boolean mayComeBack(Replica replica) {
    return replica.spec().failedAt().isPresent()
        && !replica.spec().witness()
        && !replica.isBeingDeleted()
        && !LostData.isLost(replica)
        && !isLeaving(replica)
        && replica.spec().rebuildRetryCount() < MOST_RETRIES
        && scheduler().mayReturn(replica);
  }

  /** Returns the time until a failed replica may be retried. */
  private Duration retryIn(Replica replica) {
    int retries = replica.spec().rebuildRetryCount();
    if (retries == 0) {
      return Duration.ZERO;
    }
    Duration backoff = FIRST_BACKOFF.multipliedBy(1L << Math.min(retries - 1, MOST_RETRIES));
    return left(
        replica.spec().failedAt(),
        backoff.compareTo(LONGEST_BACKOFF) < 0 ? backoff : LONGEST_BACKOFF);
  }

  /** Returns the remaining wait for a replica that may return; empty if the wait is over. */
  private Optional<Duration> patience() {
    Optional<Instant> since = view.volume().status().lastDegradedAt();
    Duration wait = view.settings().replenishmentWait();
    return Optional.of(since.isEmpty() ? wait : left(since, wait)).filter(left -> !left.isZero());
  }

  /** Returns the remaining time; zero if it began in the future, by a clock ahead of this one. */
  private Duration left(Optional<Instant> since, Duration time) {
    Duration left = Duration.between(view.now(), since.orElse(Instant.MIN).plus(time));
    return left.isNegative() || left.compareTo(time.plusSeconds(1)) > 0 ? Duration.ZERO : left;
  }

  /**
   * Handles a volume whose staying copies are all current: removes leaving copies, then surplus
   * ones.
   */
  private ReplicaDecision enough(ReplicaDecision keep, int surplus) {
    List<Replica> leaving =
        view.usableCopies().stream().filter(this::isLeaving).filter(view::isCurrent).toList();
    if (!leaving.isEmpty()) {
      return remove(keep, leaving.get(0));
    }
    ReplicaBalance balance = new ReplicaBalance(view, staying());
    if (surplus > 0) {
      return remove(keep, balance.leastUseful());
    }
    boolean movable = can(NodeInventory.REPLICA_REMOVAL) && !view.isOnSharedDisk();
    Optional<Placement> better = movable ? better(balance) : Optional.empty();
    return better.map(keep::making).orElse(keep);
  }

  private Optional<Placement> better(ReplicaBalance balance) {
    boolean local = view.volume().spec().dataLocality() == DataLocality.BEST_EFFORT;
    boolean oneFailed = view.replicas().stream().anyMatch(r -> r.spec().failedAt().isPresent());
    if (oneFailed || (!balance.isWanted() && !local)) {
      return Optional.empty();
    }
    return Optional.of(place())
        .filter(Placement::isComplete)
        .filter(place -> balance.isImprovedBy(place.targets().get(0).nodeID()));
  }

  private ReplicaDecision remove(ReplicaDecision keep, Replica replica) {
    if (!can(NodeInventory.REPLICA_REMOVAL)) {
      return keep.because(
          "SurplusKept",
          "engine "
              + view.volume().spec().dataEngine()
              + " cannot remove replica "
              + replica.name()
              + " while the volume is attached");
    }
    return ReplicaDecision.keep(keep.orders().removing(List.of(replica.name())));
  }

  /** Adds a check at the next deadline, because deadlines cause no event. */
  private ReplicaDecision lookAgain(ReplicaDecision decision) {
    Duration stale = Duration.ofMinutes(view.volume().spec().staleReplicaTimeout());
    ReplicaDecision result = decision;
    for (Replica replica : view.replicas()) {
      if (replica.spec().failedAt().isPresent() && !replica.isBeingDeleted()) {
        Duration left = left(replica.spec().failedAt(), stale);
        result = left.isZero() ? result : result.lookingAgainAfter(left.plusSeconds(1));
      }
    }
    return result;
  }
}
