package dev.holdfast.client;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Limit of the wait of an operation until its request is fulfilled.
 *
 * @param timeout longest wait; zero to store the request without waiting
 * @param progress receives one line with each new reason of the wait, on the caller's thread
 */
public record Waiting(Duration timeout, Consumer<String> progress) {
  /** Default time limit of commands. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

  /** Returns a setting that does not wait. */
  public static Waiting none() {
    return new Waiting(Duration.ZERO, line -> {});
  }

  /** Returns a setting that waits without progress reports. */
  public static Waiting upTo(Duration timeout) {
    return new Waiting(timeout, line -> {});
  }

  /** Returns whether the caller waits. */
  public boolean isWanted() {
    return !timeout.isZero();
  }
}
