package dev.holdfast.datapath.internal;

import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/** The step that a data path runs at present, for other threads to read. Thread-safe. */
final class CurrentStep {
  private volatile Optional<Running> running = Optional.empty();

  private record Running(Thread thread, long since) {}

  /** Runs a step on the caller's thread. */
  void during(Runnable step) {
    running = Optional.of(new Running(Thread.currentThread(), System.nanoTime()));
    try {
      step.run();
    } finally {
      running = Optional.empty();
    }
  }

  /** Returns the duration of the running step so far, zero when none runs. */
  Duration lasts() {
    return running
        .map(step -> Duration.ofNanos(System.nanoTime() - step.since()))
        .orElse(Duration.ZERO);
  }

  /**
   * Returns the innermost stack frame that belongs neither to Java nor to this bundle and its
   * filters.
   */
  Optional<StackTraceElement> place() {
    return running.flatMap(
        step ->
            Arrays.stream(step.thread().getStackTrace())
                .filter(frame -> !frame.getClassName().matches("(java|javax|jdk|sun)\\..*"))
                .findFirst()
                .filter(
                    frame ->
                        !frame
                            .getClassName()
                            .matches(
                                "dev\\.holdfast\\.(datapath|snapshot|clone|block|portal|controller)\\..*")));
  }
}
