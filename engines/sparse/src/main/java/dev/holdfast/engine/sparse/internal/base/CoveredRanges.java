package dev.holdfast.engine.sparse.internal.base;

import dev.holdfast.engine.BaseWriter;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Written bytes of an unfinished base, by regions. A complete region costs one bit; an incomplete
 * region costs its list of written ranges. Not thread-safe.
 */
final class CoveredRanges {
  private final long size;
  private final BitSet complete;
  // Incomplete regions: the start of each written range, with its end. Adjacent ranges are merged.
  private final Map<Integer, TreeMap<Long, Long>> partial = new HashMap<>();

  CoveredRanges(long size, BitSet complete) {
    this.size = size;
    this.complete = (BitSet) complete.clone();
  }

  static int regions(long size) {
    return Math.toIntExact((size + BaseWriter.REGION_BYTES - 1) / BaseWriter.REGION_BYTES);
  }

  BitSet complete() {
    return (BitSet) complete.clone();
  }

  /** Returns the first region that is not complete, -1 when all are. */
  int firstMissing() {
    int first = complete.nextClearBit(0);
    return first < regions(size) ? first : -1;
  }

  void add(long offset, long length) {
    for (long at = offset; at < offset + length; ) {
      int region = Math.toIntExact(at / BaseWriter.REGION_BYTES);
      long regionEnd = Math.min(size, (region + 1) * BaseWriter.REGION_BYTES);
      long end = Math.min(regionEnd, offset + length);
      if (!complete.get(region)) {
        add(region, at, end, regionEnd);
      }
      at = end;
    }
  }

  private void add(int region, long from, long to, long regionEnd) {
    TreeMap<Long, Long> ranges = partial.computeIfAbsent(region, key -> new TreeMap<>());
    long start = from;
    long end = to;
    Map.Entry<Long, Long> before = ranges.floorEntry(from);
    if (before != null && before.getValue() >= from) {
      start = before.getKey();
      end = Math.max(end, before.getValue());
    }
    Map.Entry<Long, Long> after = ranges.ceilingEntry(start);
    while (after != null && after.getKey() <= end) {
      end = Math.max(end, after.getValue());
      ranges.remove(after.getKey());
      after = ranges.ceilingEntry(start);
    }
    ranges.put(start, end);
    if (start == region * BaseWriter.REGION_BYTES && end == regionEnd) {
      complete.set(region);
      partial.remove(region);
    }
  }
}
