package dev.holdfast.controller;

import java.time.Duration;
import java.util.Optional;

/**
 * How a step ended.
 *
 * @param retryAfter when to be called again even if nothing changes; empty for not at all
 */
public record Result(Optional<Duration> retryAfter) {
  /** Nothing more to do until something changes. */
  public static final Result DONE = new Result(Optional.empty());

  /** To be called again after a while. */
  public static Result after(Duration delay) {
    return new Result(Optional.of(delay));
  }
}
