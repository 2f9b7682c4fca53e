package dev.holdfast.block.filter;

import dev.holdfast.error.ErrorCode;
import java.util.Map;

/**
 * Detailed statistics of the requests that have passed a gate. An immutable value.
 *
 * @param io counts of the requests that have ended; those that the gate holds count as in flight
 * @param durations of reads, writes and flushes, from their arrival at the gate to their end
 * @param errors failed requests by kind and code; without codes that did not occur
 * @param holds time for which each cause closed the gate; without causes that did not occur
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
