package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.Membership;
import java.util.Collections;
import java.util.Comparator;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Which replicas are current from some moment on.
 *
 * @param generation of the engine that decided it
 * @param number within that generation, rising
 * @param members identities
 */
record Epoch(long generation, long number, SortedSet<String> members) implements Comparable<Epoch> {
  /** Before the first opening. */
  static final Epoch NONE = new Epoch(0, 0, new TreeSet<>());

  private static final Comparator<Epoch> ORDER =
      Comparator.comparingLong(Epoch::generation).thenComparingLong(Epoch::number);

  Epoch {
    members = Collections.unmodifiableSortedSet(new TreeSet<>(members));
  }

  static Epoch of(Membership record) {
    return new Epoch(record.epochGeneration(), record.epochNumber(), record.members());
  }

  /** Returns the register's record that tells of this epoch, owner and generation unchanged. */
  Membership in(Membership record) {
    return new Membership(record.generation(), record.owner(), generation, number, members);
  }

  boolean initial() {
    return generation == 0;
  }

  @Override
  public int compareTo(Epoch other) {
    return ORDER.compare(this, other);
  }
}
