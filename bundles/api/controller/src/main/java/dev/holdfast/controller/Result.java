package dev.holdfast.controller;

import java.time.Duration;
import java.util.Optional;

/**
 * Result of a step.
 *
 * @param retryAfter when to call again without a change; empty to wait for a change
 */
public record Result(Optional<Duration> retryAfter) {
  /** The reconciler waits for the next change. */
  public static final Result DONE = new Result(Optional.empty());

  /** Returns a result that requests another call after a delay. */
  public static Result after(Duration delay) {
    return new Result(Optional.of(delay));
  }
}
