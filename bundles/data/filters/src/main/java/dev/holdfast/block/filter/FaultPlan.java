package dev.holdfast.block.filter;

import dev.holdfast.error.ErrorCode;
import java.util.Optional;
import java.util.SplittableRandom;

/** Decides which requests of a {@link FaultyDevice} fail. Called from any thread. */
@FunctionalInterface
public interface FaultPlan {
  /** Plan without faults. */
  FaultPlan NONE = (kind, call) -> Optional.empty();

  /**
   * Decides about one request.
   *
   * @param kind kind of the request, not null
   * @param call number of the request among all requests to the device, from 0
   * @return the fault, empty when the request succeeds, never null
   */
  Optional<Fault> fault(IoKind kind, long call);

  /** Returns a plan by which every request of a kind fails without effect. */
  static FaultPlan every(IoKind failing, ErrorCode code) {
    return (kind, call) -> kind == failing ? Optional.of(new Fault(code, false)) : Optional.empty();
  }

  /**
   * Returns a plan by which one request fails without effect, by its number among all requests from
   * 0.
   */
  static FaultPlan onCall(long failing, ErrorCode code) {
    return (kind, call) -> call == failing ? Optional.of(new Fault(code, false)) : Optional.empty();
  }

  /**
   * Returns a plan by which requests fail at random, half of them after their effect. The same seed
   * fails the same calls.
   *
   * @param probability from 0 to 1
   */
  static FaultPlan random(long seed, double probability, ErrorCode code) {
    return (kind, call) -> {
      SplittableRandom random = new SplittableRandom(seed ^ (call * 0x9E3779B97F4A7C15L));
      return random.nextDouble() < probability
          ? Optional.of(new Fault(code, random.nextBoolean()))
          : Optional.empty();
    };
  }
}
