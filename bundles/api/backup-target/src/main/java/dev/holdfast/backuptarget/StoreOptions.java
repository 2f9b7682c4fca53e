package dev.holdfast.backuptarget;

import java.time.Duration;

/**
 * Limits of an object store.
 *
 * @param connect time limit for establishing a connection, positive
 * @param request time limit for one call without the transfer of its content, positive
 * @param connections maximum number of concurrent calls, positive
 */
public record StoreOptions(Duration connect, Duration request, int connections) {
  /** Ten seconds to connect, a minute for a call, eight connections. */
  public static final StoreOptions DEFAULT =
      new StoreOptions(Duration.ofSeconds(10), Duration.ofMinutes(1), 8);

  /** Checks the components. */
  public StoreOptions {
    if (connect.isNegative() || connect.isZero() || request.isNegative() || request.isZero()) {
      throw new IllegalArgumentException("time limits must be positive");
    }
    if (connections < 1) {
      throw new IllegalArgumentException("connections " + connections + ": must be positive");
    }
  }
}
