package dev.holdfast.block.filter;

import dev.holdfast.error.ErrorCode;
import java.util.Optional;
import java.util.SplittableRandom;

/** Decides which requests of a {@link FaultyDevice} fail. Called from any thread. */
@FunctionalInterface
public interface FaultPlan {
  /** Nothing fails. */
  FaultPlan NONE = (kind, call) -> Optional.empty();

  /**
   * Decides about one request.
   *
   * @param kind of the request, not null
   * @param call number of the request among all of the device, from 0
   * @return the fault, empty when the request passes, never null
   */
  Optional<Fault> fault(IoKind kind, long call);

  /** Every request of a kind fails without effect. */
  static FaultPlan every(IoKind failing, ErrorCode code) {
    return (kind, call) -> kind == failing ? Optional.of(new Fault(code, false)) : Optional.empty();
  }

  /** One request fails without effect, by its number among all requests from 0. */
  static FaultPlan onCall(long failing, ErrorCode code) {
    return (kind, call) -> call == failing ? Optional.of(new Fault(code, false)) : Optional.empty();
  }

  /**
   * Requests fail by chance, half of them after their effect. The same seed fails the same calls.
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
