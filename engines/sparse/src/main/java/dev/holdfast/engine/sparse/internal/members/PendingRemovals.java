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
 * Members to be removed: those that failed since the last decision, and one that is removed
 * although it works. The gate is closed from a failure until no failed replica is a member.
 *
 * <p>Thread-safe. The team is replaced, and the gate opened, under this lock only, so that no
 * failure comes in between. It is taken after {@link MembershipManager}'s stillness and before the
 * gate's own lock. It is held briefly: only methods that are marked so wait, and they release it
 * while waiting.
 */
final class PendingRemovals {
  /**
   * One that is a member no more.
   *
   * @param cause of its failure; empty if it was given up although it worked
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

  /** Sets the members; once, before the first request. */
  synchronized void of(ReplicaFanout kept) {
    members = kept;
  }

  /** Returns whether a rebuild copies into it. */
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

  /** Returns whether another one with data did not fail. */
  synchronized boolean remains(Member but) {
    return members.team().data().stream()
        .anyMatch(other -> other != but && !failed.containsKey(other));
  }

  /** A member failed; from this point no success is reported. */
  synchronized void failed(Member replica, StorageException cause) {
    if (members.current().contains(replica) && failed.putIfAbsent(replica, cause) == null) {
      gate.pause(true);
    }
  }

  /** Returns whether no member failed that was not dropped yet. */
  synchronized boolean noneFailed() {
    return failed.isEmpty();
  }

  /** Returns whether no member failed, and nothing is being decided. */
  synchronized boolean settled() {
    return failed.isEmpty() && !deciding;
  }

  /** Returns whether a member failed and no thread decides about it; then the caller does. */
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

  /** Waits, once the gate is closed, until nothing is being decided. */
  synchronized void awaitUndeciding() {
    notifyAll();
    Uninterruptibly.awaitWhile(this, () -> deciding);
  }

  /** Waits until no failed replica is a member, or the gate is closed. */
  synchronized void awaitNoneFailed() {
    Uninterruptibly.awaitWhile(this, () -> !failed.isEmpty() && !gate.closed());
  }

  /** Waits for a while, but no longer than until the gate is closed. */
  synchronized void pause(Duration duration) throws InterruptedException {
    long end = System.nanoTime() + duration.toNanos();
    long left = duration.toMillis();
    while (!gate.closed() && left > 0) {
      wait(left);
      left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    }
  }

  /**
   * Opens the gate, unless a member failed. A decision that waits for its turn does not need it
   * paused yet, and may find nothing left.
   */
  synchronized void resume() {
    if (failed.isEmpty()) {
      gate.open();
    }
  }

  /** The members that failed, if any, may differ from the others in regions without a mark. */
  synchronized void failedDifferAnywhere() {
    differAnywhere = !failed.isEmpty();
  }

  /** Returns whether the members to be removed may differ anywhere. */
  synchronized boolean differAnywhere() {
    return differAnywhere;
  }

  /** Replaces the team; no request is in flight. */
  synchronized void replace(MemberSet team) {
    members.replace(team);
  }

  /** Adds a member, the target of a rebuild before; no request is in flight. */
  synchronized void add(Member newcomer) {
    List<Member> all = new ArrayList<>(members.current());
    all.add(newcomer);
    members.replace(new MemberSet(all, List.of()));
    this.newcomer = newcomer;
  }

  /** Returns the member that is in no decided epoch yet, if there is one that did not fail. */
  synchronized List<Member> newcomers() {
    return newcomer == null || failed.containsKey(newcomer) ? List.of() : List.of(newcomer);
  }

  /** A member is given up although it works. */
  synchronized void beginRemoval(Member member) {
    leaving = member;
  }

  /** Ends what {@link #beginRemoval} began. */
  synchronized void cancelRemoval() {
    leaving = null;
  }

  /** Returns the identities of those that are not to come back. */
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
   * Records the remaining members: the others are removed, and the gate opens unless one of the
   * remaining ones has failed since.
   *
   * @return the others
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
