package dev.holdfast.clone.internal;

import dev.holdfast.datapath.RegionCopy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The ranges of a snapshot that have data, in whole blocks, for volumes of any size. */
final class SnapshotData {
  private static final long BLOCK = 4096;
  private static final int FIRST = 16;

  // Start and end (exclusive) of each range in turn, ascending.
  private long[] bounds = new long[FIRST];
  private int count;

  /** Adds a range. Ranges are added in ascending order. */
  void add(long offset, long length) {
    long from = offset / BLOCK * BLOCK;
    long to = (offset + length + BLOCK - 1) / BLOCK * BLOCK;
    if (count > 0 && from <= bounds[count - 1]) {
      bounds[count - 1] = Math.max(to, bounds[count - 1]);
      return;
    }
    if (count == bounds.length) {
      bounds = Arrays.copyOf(bounds, 2 * count);
    }
    bounds[count++] = from;
    bounds[count++] = to;
  }

  /** Returns the ranges within a part of the snapshot. */
  List<RegionCopy.Range> within(RegionCopy.Range part) {
    List<RegionCopy.Range> found = new ArrayList<>();
    int place = Arrays.binarySearch(bounds, 0, count, part.offset());
    // The range that contains the offset, or the next one.
    int first = (place < 0 ? -place - 1 : place) & ~1;
    for (int i = first; i < count && bounds[i] < part.end(); i += 2) {
      long from = Math.max(bounds[i], part.offset());
      long to = Math.min(bounds[i + 1], part.end());
      if (from < to) {
        found.add(new RegionCopy.Range(from, to - from));
      }
    }
    return found;
  }
}
