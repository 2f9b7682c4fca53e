package dev.holdfast.datapath.internal;

import dev.holdfast.block.filter.IoStatistics;
import dev.holdfast.engine.EngineProvider;
import java.time.Duration;
import java.util.Optional;

/**
 * How the engine of one data path is doing.
 *
 * @param volume whose path it is
 * @param engine the name of its engine; empty before it is opened
 * @param used the engine that has it open
 * @param requests statistics of its gate
 * @param stepLasts for how long the running step has lasted; zero when none runs
 * @param stepPlace where in an engine's code that step is; empty when it is in none
 */
record EngineHealth(
    String volume,
    String engine,
    Optional<EngineProvider> used,
    Optional<IoStatistics> requests,
    Duration stepLasts,
    Optional<StackTraceElement> stepPlace) {

  /** Returns how many requests have ended. */
  long ended() {
    return requests.map(IoStatistics::counts).stream()
        .flatMap(counts -> counts.values().stream())
        .mapToLong(IoStatistics.Count::requests)
        .sum();
  }

  boolean isWaiting() {
    return requests.filter(now -> now.inFlight() > 0).isPresent();
  }
}
