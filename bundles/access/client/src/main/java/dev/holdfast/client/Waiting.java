package dev.holdfast.client;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * How long an operation waits until its request is fulfilled.
 *
 * @param timeout at most so long; zero means that the request is stored without a wait
 * @param progress is told, in one line each, what is being waited for whenever that changes; called
 *     on the caller's thread
 */
public record Waiting(Duration timeout, Consumer<String> progress) {
  /** How long commands wait by default. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

  /** Stores the request and returns. */
  public static Waiting none() {
    return new Waiting(Duration.ZERO, line -> {});
  }

  /** Waits silently. */
  public static Waiting upTo(Duration timeout) {
    return new Waiting(timeout, line -> {});
  }

  /** Returns whether the caller waits. */
  public boolean isWanted() {
    return !timeout.isZero();
  }
}
