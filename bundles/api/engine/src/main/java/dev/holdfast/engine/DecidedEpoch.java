package dev.holdfast.engine;

import java.util.Collections;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * An epoch that a volume had earlier.
 *
 * @param generation in which it was decided
 * @param number in that generation
 * @param members identities of the replicas that were current in it, not null
 * @param reason why it began, for a person, not null
 */
public record DecidedEpoch(long generation, long number, SortedSet<String> members, String reason) {
  /** Copies the set and checks that nothing is missing. */
  public DecidedEpoch {
    members = Collections.unmodifiableSortedSet(new TreeSet<>(members));
    Objects.requireNonNull(reason, "reason");
  }
}
