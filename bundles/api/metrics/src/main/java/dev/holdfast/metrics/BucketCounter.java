package dev.holdfast.metrics;

import java.util.ArrayList;
import java.util.List;

/**
 * Counts observations by their size, for a {@link MetricSource} that reports a histogram. Takes a
 * lock for each observation and is intended for operations that take longer than microseconds.
 * Thread-safe.
 */
public final class BucketCounter {
  private final List<Double> bounds;
  private final long[] counts;
  private double sum;

  /**
   * Creates a counter without observations.
   *
   * @param bounds inclusive upper bounds of the buckets, ascending, without infinity; not null
   */
  public BucketCounter(List<Double> bounds) {
    this.bounds = List.copyOf(bounds);
    this.counts = new long[bounds.size() + 1];
  }

  /**
   * Counts one observation.
   *
   * @param value in the unit of the bounds, not NaN
   * @throws IllegalArgumentException for NaN
   */
  public synchronized void observe(double value) {
    if (Double.isNaN(value)) {
      throw new IllegalArgumentException("NaN: an observation must be a number");
    }
    int bucket = 0;
    while (bucket < bounds.size() && value > bounds.get(bucket)) {
      bucket++;
    }
    counts[bucket]++;
    sum += value;
  }

  /** Returns a copy of the counts, never null. */
  public synchronized BucketCounts counts() {
    List<Long> copy = new ArrayList<>(counts.length);
    for (long count : counts) {
      copy.add(count);
    }
    return new BucketCounts(copy, sum);
  }
}
