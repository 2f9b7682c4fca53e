package dev.holdfast.engine;

import java.util.Collections;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A volume's durable record of who may write and which replicas are current (docs/REPLICATION.md).
 * Epochs are pairs (epochGeneration, epochNumber), rising and never used twice.
 *
 * @param generation raised by every opening; the highest one may write
 * @param owner node of the engine of that generation, empty before the first
 * @param epochGeneration generation in which the epoch was decided
 * @param epochNumber number of the epoch in that generation
 * @param members identities of the replicas that are current in this epoch
 */
public record Membership(
    long generation,
    String owner,
    long epochGeneration,
    long epochNumber,
    SortedSet<String> members) {
  /** The record of a volume that was never opened. */
  public static final Membership NONE = new Membership(0, "", 0, 0, new TreeSet<>());

  /** Copies the set and checks that nothing is missing. */
  public Membership {
    Objects.requireNonNull(owner, "owner");
    members = Collections.unmodifiableSortedSet(new TreeSet<>(members));
  }
}
