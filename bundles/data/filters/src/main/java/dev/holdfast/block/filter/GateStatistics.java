package dev.holdfast.block.filter;

import dev.holdfast.error.ErrorCode;
import java.util.Map;

/**
 * Requests that passed a gate so far, in detail. An immutable value.
 *
 * @param io counts of the requests that have ended; in flight are also those that the gate holds
 * @param durations of reads, writes and flushes, from their arrival at the gate to their end
 * @param errors failed requests by kind and code; absent where none failed
 * @param holds how long the gate was closed by each cause; absent where it never was
 */
public record GateStatistics(
    IoStatistics io,
    Map<IoKind, DurationCounts> durations,
    Map<IoKind, Map<ErrorCode, Long>> errors,
    Map<GateCause, DurationCounts> holds) {
  /** Copies the maps. */
  public GateStatistics {
    durations = Map.copyOf(durations);
    errors = Map.copyOf(errors);
    holds = Map.copyOf(holds);
  }
}
