package dev.holdfast.datapath.internal;

import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/** The step that a data path makes at this moment, seen from another thread. Thread-safe. */
final class CurrentStep {
  private volatile Optional<Running> running = Optional.empty();

  private record Running(Thread thread, long since) {}

  /** Does it on the caller's thread. */
  void during(Runnable step) {
    running = Optional.of(new Running(Thread.currentThread(), System.nanoTime()));
    try {
      step.run();
    } finally {
      running = Optional.empty();
    }
  }

  /** Returns for how long it has lasted, zero when there is none. */
  Duration lasts() {
    return running
        .map(step -> Duration.ofNanos(System.nanoTime() - step.since()))
        .orElse(Duration.ZERO);
  }

  /** Returns the innermost code that is neither Java's nor of this bundle and its filters. */
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
