package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.Regions;
import dev.holdfast.engine.sparse.internal.replica.ReplicaIdentity;
import dev.holdfast.error.StorageException;
import java.util.BitSet;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Decides epochs. The remaining members flush, make durable what the removed members miss, and then
 * make the epoch durable. Then the register decides, or, when it is unreachable, the remaining
 * members if they are a majority. A new member receives the epoch last. It would otherwise record
 * its membership in an epoch that was never decided, and an opening that finds only this replica
 * would take it for current. Attempts block. The caller makes one attempt at a time, while no
 * request is in flight.
 */
final class EpochDecision {
  private final PendingRemovals departures;
  private final RegisterRecord record;
  private final WriteIntents intents;
  private final Broadcast fan;

  // Guarded by this.
  private Epoch latest;

  /**
   * Result of an attempt.
   *
   * @param decided whether the epoch is in force; if not, no decision was possible or some members
   *     failed
   * @param failures members of the epoch that failed; the epoch is not decided then
   */
  record Outcome(boolean decided, List<MemberFailure> failures) {}

  EpochDecision(
      PendingRemovals departures, RegisterRecord record, WriteIntents intents, Broadcast fan) {
    this.departures = departures;
    this.record = record;
    this.intents = intents;
    this.fan = fan;
    this.latest = record.inForce();
  }

  /** Returns the highest number of an epoch that was sent to any member. */
  synchronized long latestNumber() {
    return latest.number();
  }

  /**
   * Continues after another engine of the same generation. Called once, before the first attempt.
   */
  synchronized void resume(long latestNumber) {
    latest = new Epoch(latest.generation(), latestNumber, latest.members());
  }

  /**
   * Makes one attempt.
   *
   * @param survivors the members of the epoch
   * @param reason text for users
   * @throws StorageException FORBIDDEN when a later engine took over
   */
  Outcome attempt(List<Member> survivors, String reason) throws StorageException {
    Epoch next = next(survivors);
    List<Member> newcomers = departures.newcomers();
    List<MemberFailure> failures = makeDurable(next, survivors, newcomers);
    if (!failures.isEmpty() || !record.decide(next, reason)) {
      return new Outcome(false, failures);
    }
    failures = tell(next, newcomers);
    return new Outcome(failures.isEmpty(), failures);
  }

  // A number is used once, because the outcome of an earlier attempt may be unknown.
  private synchronized Epoch next(List<Member> survivors) {
    latest = Epoch.of(record.generation(), latest.number() + 1, survivors);
    return latest;
  }

  private List<MemberFailure> makeDurable(
      Epoch next, List<Member> survivors, List<Member> newcomers) {
    SortedSet<String> absent = absent(next);
    BitSet missed = missed();
    return fan.each(
        survivors,
        survivor -> {
          if (!survivor.witness()) {
            BlockingMemberIo.sync(survivor);
          }
          if (!newcomers.contains(survivor)) {
            survivor.recordEpoch(next, absent, missed);
          }
        });
  }

  private List<MemberFailure> tell(Epoch next, List<Member> newcomers) {
    return fan.each(newcomers, newcomer -> newcomer.recordEpoch(next, absent(next), missed()));
  }

  // The record omits replicas that will not return, because the regions that they miss do not
  // matter.
  private SortedSet<String> absent(Epoch next) {
    SortedSet<String> absent = new TreeSet<>(record.known());
    absent.removeAll(next.members());
    absent.removeIf(ReplicaIdentity::ofWitness);
    absent.removeAll(departures.removed());
    return absent;
  }

  private BitSet missed() {
    BitSet missed = intents.all();
    if (departures.differAnywhere()) {
      missed.or(Regions.all(record.stored().sizeBytes()));
    }
    return missed;
  }
}
