package dev.holdfast.block.filter;

import java.util.EnumMap;
import java.util.Map;

/** Total time for which a gate was closed, by cause. Thread-safe. */
final class HoldTimes {
  private final Map<GateCause, long[]> sums = new EnumMap<>(GateCause.class);

  synchronized void add(GateCause cause, long nanos) {
    long[] sum = sums.computeIfAbsent(cause, key -> new long[DurationCounts.BUCKETS + 1]);
    sum[DurationCounts.bucket(nanos)]++;
    sum[DurationCounts.BUCKETS] += nanos;
  }

  synchronized Map<GateCause, DurationCounts> counts() {
    Map<GateCause, DurationCounts> counts = new EnumMap<>(GateCause.class);
    sums.forEach((cause, sum) -> counts.put(cause, DurationCounts.of(sum)));
    return counts;
  }
}
