package dev.holdfast.engine;

import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A volume's durable record of the generation that may write and of the current replicas
 * (docs/REPLICATION.md). Epochs are pairs (epochGeneration, epochNumber), which increase and are
 * never reused.
 *
 * @param generation raised by every opening; only the highest generation may write
 * @param owner node of the engine of that generation, empty before the first
 * @param epochGeneration generation in which the epoch was decided
 * @param epochNumber number of the epoch in that generation
 * @param members identities of the replicas that are current in this epoch, including witnesses
 * @param sizeBytes of the volume, 0 before the first opening
 * @param pendingOperation a structural operation that all members must perform, in the engine's
 *     format; empty for none; not null
 * @param history the latest epochs including this one, oldest first; not null
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

  /** Copies the collections and rejects null components. */
  public Membership {
    Objects.requireNonNull(owner, "owner");
    members = Collections.unmodifiableSortedSet(new TreeSet<>(members));
    Objects.requireNonNull(pendingOperation, "pendingOperation");
    history = List.copyOf(history);
  }

  /**
   * Returns whether a majority of the members may decide without the register. This requires at
   * least three members.
   */
  public boolean auto() {
    return members.size() >= 3;
  }
}
