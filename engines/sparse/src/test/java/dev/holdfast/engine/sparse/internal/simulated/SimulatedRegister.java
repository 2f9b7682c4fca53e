package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;
import dev.holdfast.engine.sparse.simulation.Rule;
import dev.holdfast.engine.sparse.simulation.Scheduler;
import dev.holdfast.engine.sparse.simulation.Violation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * The record of a volume on a remote store: it may be slow, unreachable for some nodes, or lose an
 * answer.
 */
final class SimulatedRegister {
  private static final long LATE = 2_000_000_000L;

  private final Scheduler scheduler;
  private final Random random;
  private final Rule without;
  private final Set<String> cutOff = new HashSet<>();
  private Membership record = Membership.NONE;
  private boolean losesAnswer;

  SimulatedRegister(Scheduler scheduler, Random random, Rule without) {
    this.scheduler = scheduler;
    this.random = random;
    this.without = without;
  }

  void cutOff(String node) {
    cutOff.add(node);
  }

  void loseAnswer() {
    losesAnswer = true;
  }

  void heal() {
    cutOff.clear();
    losesAnswer = false;
  }

  Membership record() {
    return record;
  }

  private void way(String node) throws StorageException {
    scheduler.sleep(Duration.ofNanos(1 + random.nextInt(4_000_000)));
    if (cutOff.contains(node) && without != Rule.START_WITH_STORE) {
      throw new StorageException(ErrorCode.UNREACHABLE, "the store cannot be reached");
    }
  }

  // 8: epochs rise and are unique, and sets are never empty.
  private void check(Membership next) {
    boolean rises =
        next.epochGeneration() > record.epochGeneration()
            || (next.epochGeneration() == record.epochGeneration()
                && (next.epochNumber() > record.epochNumber()
                    || (next.epochNumber() == record.epochNumber()
                        && next.members().equals(record.members()))));
    if (!rises || next.generation() < record.generation()) {
      throw new Violation("the register goes from " + record + " to " + next);
    }
    if (next.epochGeneration() > 0 && next.members().isEmpty()) {
      throw new Violation("an epoch without members: " + next);
    }
  }

  View of(String node) {
    return new View(node);
  }

  /** The register for one opening. */
  final class View implements MembershipRegister {
    private final String node;
    private Membership remembered = record;
    private long generation;
    private Collection<String> membersBefore = List.of();

    View(String node) {
      this.node = node;
    }

    private boolean claim(Membership next) throws StorageException {
      boolean first = next.generation() > record.generation();
      if (first) {
        record = next;
        generation = next.generation();
      }
      way(node);
      return first;
    }

    // Reports to the opening that its epoch is recorded, although it is recorded later or never.
    private boolean late(Membership expected, Membership next) {
      scheduler.later(
          Scheduler.WORLD,
          LATE,
          () -> {
            if (record.equals(expected)) {
              record = next;
            }
          });
      return true;
    }

    /** Returns the generation that the opening claimed. */
    long generation() {
      return generation;
    }

    /** Returns the members at that time. */
    Collection<String> membersBefore() {
      return membersBefore;
    }

    @Override
    public Membership read() throws StorageException {
      way(node);
      if (cutOff.contains(node)) {
        return remembered;
      }
      Membership found = record;
      way(node);
      return found;
    }

    @Override
    public boolean compareAndSet(Membership expected, Membership next) throws StorageException {
      way(node);
      if (cutOff.contains(node)) {
        remembered = next;
        generation = Math.max(generation, next.generation());
        return true;
      }
      if (without == Rule.EPOCH_BEFORE_READ && expected.epochGeneration() < next.generation()) {
        return expected.generation() == next.generation() ? late(expected, next) : claim(next);
      }
      if (without == Rule.DROP_DECIDED && expected.epochGeneration() == next.generation()) {
        return true;
      }
      boolean equal = record.equals(expected);
      if (equal) {
        check(next);
        membersBefore = next.generation() > generation ? record.members() : membersBefore;
        record = next;
        generation = Math.max(generation, next.generation());
      }
      if (losesAnswer) {
        losesAnswer = false;
        throw new StorageException(ErrorCode.UNREACHABLE, "the store's answer was lost");
      }
      way(node);
      return equal;
    }
  }
}
