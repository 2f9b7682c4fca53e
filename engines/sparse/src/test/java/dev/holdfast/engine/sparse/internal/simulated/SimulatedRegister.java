package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;
import dev.holdfast.engine.sparse.simulation.Rule;
import dev.holdfast.engine.sparse.simulation.Scheduler;
import dev.holdfast.engine.sparse.simulation.Violation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/**
 * The one record of a volume, far away: slow, out of reach of some nodes, or its answer is lost.
 */
final class SimulatedRegister {
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
    if (cutOff.contains(node)) {
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

  /** The register as one opening sees it. */
  final class View implements MembershipRegister {
    private final String node;
    private long generation;

    View(String node) {
      this.node = node;
    }

    /** Returns the generation that the opening claimed. */
    long generation() {
      return generation;
    }

    @Override
    public Membership read() throws StorageException {
      way(node);
      Membership found = record;
      way(node);
      return found;
    }

    @Override
    public boolean compareAndSet(Membership expected, Membership next) throws StorageException {
      way(node);
      if (without == Rule.DROP_DECIDED && expected.epochGeneration() == next.generation()) {
        return true;
      }
      boolean equal = record.equals(expected);
      if (equal) {
        check(next);
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
