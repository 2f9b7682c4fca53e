package dev.holdfast.engine;

import java.util.Collections;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * An earlier epoch of a volume.
 *
 * @param generation generation of the epoch
 * @param number number of the epoch within the generation
 * @param members identities of the replicas that were current in it, not null
 * @param reason why the epoch began, for users, not null
 */
public record DecidedEpoch(long generation, long number, SortedSet<String> members, String reason) {
  /** Copies the set and rejects null components. */
  public DecidedEpoch {
    members = Collections.unmodifiableSortedSet(new TreeSet<>(members));
    Objects.requireNonNull(reason, "reason");
  }
}
