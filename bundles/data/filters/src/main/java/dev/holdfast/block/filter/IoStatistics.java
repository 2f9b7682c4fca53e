package dev.holdfast.block.filter;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * Statistics of the requests that passed a device. Requests that end while the statistics are read
 * may be missing.
 *
 * @param counts counts of the requests that have ended, for every kind
 * @param inFlight number of requests that have not ended
 */
public record IoStatistics(Map<IoKind, Count> counts, int inFlight) {
  /** Copies the map. */
  public IoStatistics {
    counts = Collections.unmodifiableMap(new EnumMap<>(counts));
  }

  /** Returns the counts of one kind, never null. */
  public Count of(IoKind kind) {
    return counts.getOrDefault(kind, Count.NONE);
  }

  /**
   * Requests of one kind that have ended.
   *
   * @param requests number of requests, including failed ones
   * @param bytes bytes that the successful requests transferred or covered
   * @param errors number of failed requests
   */
  public record Count(long requests, long bytes, long errors) {
    static final Count NONE = new Count(0, 0, 0);
  }
}
