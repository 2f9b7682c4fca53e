package dev.holdfast.block.filter;

import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Counts of durations by size. An immutable value.
 *
 * @param counts number of durations in each bucket, not cumulative; the last bucket has no upper
 *     bound; not null
 * @param nanos sum of all durations in nanoseconds
 */
public record DurationCounts(List<Long> counts, long nanos) {
  /** Inclusive upper bounds of the buckets in nanoseconds, without the last bucket. */
  public static final List<Long> BOUNDS =
      LongStream.of(
              100, 250, 500, 1_000, 2_500, 5_000, 10_000, 50_000, 100_000, 1_000_000, 10_000_000)
          .map(micros -> micros * 1_000)
          .boxed()
          .toList();

  private static final long[] UPPER = BOUNDS.stream().mapToLong(Long::longValue).toArray();

  /** The number of buckets. */
  static final int BUCKETS = UPPER.length + 1;

  /** Copies the counts. */
  public DurationCounts {
    counts = List.copyOf(counts);
  }

  /** Creates counts from an array of the buckets and the sum behind them. */
  static DurationCounts of(long[] bucketsAndSum) {
    return new DurationCounts(
        Arrays.stream(bucketsAndSum, 0, BUCKETS).boxed().toList(), bucketsAndSum[BUCKETS]);
  }

  /** Returns the bucket of a duration. Most requests are in one of the first buckets. */
  static int bucket(long nanos) {
    int bucket = 0;
    while (bucket < UPPER.length && nanos > UPPER[bucket]) {
      bucket++;
    }
    return bucket;
  }

  /** Returns the number of all durations. */
  public long count() {
    return counts.stream().mapToLong(Long::longValue).sum();
  }
}
