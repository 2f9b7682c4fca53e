package dev.holdfast.metrics;

import java.util.List;

/**
 * Observations of a histogram.
 *
 * @param counts number of observations in each bucket, not cumulative; the last bucket has no upper
 *     bound; not null
 * @param sum of all observations, in the unit of the series
 */
public record BucketCounts(List<Long> counts, double sum) {
  /** Copies the counts. */
  public BucketCounts {
    counts = List.copyOf(counts);
  }

  /** Returns the number of all observations. */
  public long count() {
    return counts.stream().mapToLong(Long::longValue).sum();
  }
}
