package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.DecidedEpoch;
import dev.holdfast.engine.Membership;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Decision which replicas are current from one point in time on.
 *
 * @param generation of the engine that decided it
 * @param number number within that generation, ascending
 * @param members identities, witnesses included; an identity shows whether it is a witness
 */
public record Epoch(long generation, long number, SortedSet<String> members)
    implements Comparable<Epoch> {
  /** Epoch before the first opening. */
  public static final Epoch NONE = new Epoch(0, 0, new TreeSet<>());

  private static final int KEPT_HISTORY = 32;
  private static final Comparator<Epoch> ORDER =
      Comparator.comparingLong(Epoch::generation).thenComparingLong(Epoch::number);

  public Epoch {
    members = Collections.unmodifiableSortedSet(new TreeSet<>(members));
  }

  public static Epoch of(Membership record) {
    return new Epoch(record.epochGeneration(), record.epochNumber(), record.members());
  }

  public static Epoch of(long generation, long number, List<Member> members) {
    SortedSet<String> all = new TreeSet<>();
    members.forEach(member -> all.add(member.id()));
    return new Epoch(generation, number, all);
  }

  /** Returns a record of this epoch that includes it in the history. */
  public Membership in(Membership record, String reason) {
    List<DecidedEpoch> history = new ArrayList<>(record.history());
    history.add(new DecidedEpoch(generation, number, members, reason));
    return new Membership(
        record.generation(),
        record.owner(),
        generation,
        number,
        members,
        record.sizeBytes(),
        record.pendingOperation(),
        history.subList(Math.max(0, history.size() - KEPT_HISTORY), history.size()));
  }

  public boolean initial() {
    return generation == 0;
  }

  /** Returns how many of the members hold data. */
  public int holders() {
    return (int) members.stream().filter(id -> !ReplicaIdentity.ofWitness(id)).count();
  }

  /** Returns whether a majority of the members may decide without the register. */
  public boolean auto() {
    return members.size() >= 3;
  }

  /** Returns whether the given replicas are more than half of the members. */
  public boolean majority(Set<String> some) {
    return 2 * members.stream().filter(some::contains).count() > members.size();
  }

  /**
   * Returns whether every start that finds the other epoch in the register also finds this one,
   * provided that this one is durable on all its members. Such a start reads a majority of its
   * members if a majority may decide, and at least one in any case.
   */
  public boolean foundFrom(Epoch registered) {
    return members.containsAll(registered.members)
        || (registered.auto() && registered.majority(members));
  }

  @Override
  public int compareTo(Epoch other) {
    return ORDER.compare(this, other);
  }
}
