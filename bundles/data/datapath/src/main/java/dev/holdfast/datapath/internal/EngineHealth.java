package dev.holdfast.datapath.internal;

import dev.holdfast.block.filter.IoStatistics;
import dev.holdfast.engine.EngineProvider;
import java.time.Duration;
import java.util.Optional;

/**
 * Health of the engine of one data path.
 *
 * @param volume volume of the path
 * @param engine name of its engine; empty before it is opened
 * @param used engine that has it open
 * @param requests statistics of its gate
 * @param stepLasts duration of the running step so far; zero when none runs
 * @param stepPlace stack frame of that step in an engine's code; empty outside of an engine
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
