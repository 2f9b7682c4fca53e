package dev.holdfast.block.filter;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * Statistics of the requests that passed a device. Requests that end while it is taken may or may
 * not be in it.
 *
 * @param counts of the requests that have ended, for every kind
 * @param inFlight requests that have not ended
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
   * @param requests how many, failed ones too
   * @param bytes how many bytes the successful ones moved or covered
   * @param errors how many failed
   */
  public record Count(long requests, long bytes, long errors) {
    static final Count NONE = new Count(0, 0, 0);
  }
}
