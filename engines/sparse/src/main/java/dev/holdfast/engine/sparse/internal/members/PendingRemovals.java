package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.RequestGate;
import dev.holdfast.engine.sparse.internal.replica.Uninterruptibly;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Members to be removed: those that failed since the last decision, and a healthy one whose removal
 * was requested. The gate is closed from a failure until no failed replica is a member.
 *
 * <p>Thread-safe. The team is replaced, and the gate opened, under this lock only, so that no
 * failure comes in between. The lock is taken after {@link MembershipManager}'s {@code stillness}
 * and before the gate's own lock. It is held briefly: only methods that say so wait, and they
 * release it while waiting.
 */
final class PendingRemovals {
  /**
   * A replica that was removed from the members.
   *
   * @param cause cause of its failure; empty if it was healthy
   */
  record Left(Member member, Optional<StorageException> cause) {}

  private final RequestGate gate;
  private final ReplicaModes modes;

  // Set once, before the first request.
  private ReplicaFanout members;

  // Guarded by this.
  private final Map<Member, StorageException> failed = new LinkedHashMap<>();
  private Member leaving;
  private Member newcomer;
  private boolean deciding;
  private boolean differAnywhere;

  PendingRemovals(RequestGate gate, ReplicaModes modes) {
    this.gate = gate;
    this.modes = modes;
  }

  /** Sets the members. Called once, before the first request. */
  synchronized void of(ReplicaFanout kept) {
    members = kept;
  }

  /** Returns whether the replica is the target of a rebuild. */
  boolean isTarget(Member replica) {
    return members.team().targets().contains(replica);
  }

  /** Returns whether a rebuild has a target. */
  boolean targeted() {
    return !members.team().targets().isEmpty();
  }

  boolean isMember(Member replica) {
    return members.current().contains(replica);
  }

  /** Returns the members with data that did not fail. */
  synchronized List<Member> working() {
    return members.team().data().stream().filter(member -> !failed.containsKey(member)).toList();
  }

  /** Returns whether another member with data did not fail. */
  synchronized boolean remains(Member but) {
    return members.team().data().stream()
        .anyMatch(other -> other != but && !failed.containsKey(other));
  }

  /** Records the failure of a member; from this point no success is reported. */
  synchronized void failed(Member replica, StorageException cause) {
    if (members.current().contains(replica) && failed.putIfAbsent(replica, cause) == null) {
      gate.pause(true);
    }
  }

  /** Returns whether no failed replica is a member. */
  synchronized boolean noneFailed() {
    return failed.isEmpty();
  }

  /** Returns whether no member failed, and no decision runs. */
  synchronized boolean settled() {
    return failed.isEmpty() && !deciding;
  }

  /**
   * Returns whether a member failed and no thread decides about it yet. If true, the caller must
   * decide.
   */
  synchronized boolean beginDeciding() {
    if (failed.isEmpty() || deciding || gate.closed()) {
      return false;
    }
    deciding = true;
    return true;
  }

  synchronized void endDeciding() {
    deciding = false;
    notifyAll();
  }

  /** Ends all waits because the gate was closed. */
  synchronized void closed() {
    notifyAll();
  }

  /** Waits until no decision runs. Called after the gate was closed. */
  synchronized void awaitUndeciding() {
    notifyAll();
    Uninterruptibly.awaitWhile(this, () -> deciding);
  }

  /** Waits until no failed replica is a member, or the gate is closed. */
  synchronized void awaitNoneFailed() {
    Uninterruptibly.awaitWhile(this, () -> !failed.isEmpty() && !gate.closed());
  }

  /** Waits for a duration, or until the gate is closed. */
  synchronized void pause(Duration duration) throws InterruptedException {
    long end = System.nanoTime() + duration.toNanos();
    long left = duration.toMillis();
    while (!gate.closed() && left > 0) {
      wait(left);
      left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    }
  }

  /**
   * Opens the gate, unless a member failed. A decision that waits for its turn does not need the
   * gate closed yet, and may find that no failed member is left.
   */
  synchronized void resume() {
    if (failed.isEmpty()) {
      gate.open();
    }
  }

  /**
   * Records that the failed members, if any, may differ from the others in regions without a mark.
   */
  synchronized void failedDifferAnywhere() {
    differAnywhere = !failed.isEmpty();
  }

  /** Returns whether the members to be removed may differ anywhere. */
  synchronized boolean differAnywhere() {
    return differAnywhere;
  }

  /** Replaces the team. Called while no request is in flight. */
  synchronized void replace(MemberSet team) {
    members.replace(team);
  }

  /** Adds a member that was the target of a rebuild. Called while no request is in flight. */
  synchronized void add(Member newcomer) {
    List<Member> all = new ArrayList<>(members.current());
    all.add(newcomer);
    members.replace(new MemberSet(all, List.of()));
    this.newcomer = newcomer;
  }

  /** Returns the member that is not part of a decided epoch yet, if it did not fail. */
  synchronized List<Member> newcomers() {
    return newcomer == null || failed.containsKey(newcomer) ? List.of() : List.of(newcomer);
  }

  /** Starts the removal of a healthy member. */
  synchronized void beginRemoval(Member member) {
    leaving = member;
  }

  /** Ends the removal that {@link #beginRemoval} started. */
  synchronized void cancelRemoval() {
    leaving = null;
  }

  /** Returns the identities of replicas that must not return. */
  synchronized List<String> removed() {
    return leaving == null ? List.of() : List.of(leaving.id());
  }

  /** Returns the remaining members. The last member with data is never removed. */
  synchronized List<Member> survivors() {
    List<Member> survivors = new ArrayList<>(members.current());
    survivors.removeAll(failed.keySet());
    if (leaving != null && remains(leaving)) {
      survivors.remove(leaving);
    } else {
      leaving = null;
    }
    return survivors;
  }

  /** Returns the members to be removed, for messages. */
  synchronized String reason() {
    List<String> names = failed.keySet().stream().map(Member::name).toList();
    String dropped = names.isEmpty() ? "" : "dropped: " + String.join(", ", names);
    String removed = leaving == null ? "" : "removed: " + leaving.name();
    return dropped + (dropped.isEmpty() || removed.isEmpty() ? "" : "; ") + removed;
  }

  /**
   * Records the remaining members: the others are removed. Opens the gate unless one of the
   * remaining members has failed since.
   *
   * @return the removed members
   */
  synchronized List<Left> decided(List<Member> survivors) {
    List<Left> left =
        members.current().stream()
            .filter(member -> !survivors.contains(member))
            .map(member -> new Left(member, Optional.ofNullable(failed.get(member))))
            .toList();
    members.replace(new MemberSet(survivors, members.team().targets()));
    failed.keySet().retainAll(survivors);
    differAnywhere = false;
    newcomer = null;
    left.forEach(gone -> modes.set(gone.member().name(), MemberMode.ERR));
    notifyAll();
    if (failed.isEmpty()) {
      gate.open();
    }
    return left;
  }
}
