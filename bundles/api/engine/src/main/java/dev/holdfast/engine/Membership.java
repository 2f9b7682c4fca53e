package dev.holdfast.engine;

import java.util.Collections;
import java.util.List;
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
 * @param members identities of the replicas that are current in this epoch, witnesses included
 * @param sizeBytes of the volume, 0 before the first opening
 * @param pendingOperation a structural operation that all members are to make, in the engine's own
 *     words; empty when there is none; not null
 * @param history the latest epochs, this one included, the oldest first; not null
 */
public record Membership(
    long generation,
    String owner,
    long epochGeneration,
    long epochNumber,
    SortedSet<String> members,
    long sizeBytes,
    String pendingOperation,
    List<DecidedEpoch> history) {
  /** The record of a volume that was never opened. */
  public static final Membership NONE = new Membership(0, "", 0, 0, new TreeSet<>());

  /** Creates a record of an epoch and its members alone. */
  public Membership(
      long generation,
      String owner,
      long epochGeneration,
      long epochNumber,
      SortedSet<String> members) {
    this(generation, owner, epochGeneration, epochNumber, members, 0, "", List.of());
  }

  /** Copies the collections and checks that nothing is missing. */
  public Membership {
    Objects.requireNonNull(owner, "owner");
    members = Collections.unmodifiableSortedSet(new TreeSet<>(members));
    Objects.requireNonNull(pendingOperation, "pendingOperation");
    history = List.copyOf(history);
  }

  /**
   * Returns whether a majority of the members may decide without the register: whether there are
   * three or more.
   */
  public boolean auto() {
    return members.size() >= 3;
  }
}
