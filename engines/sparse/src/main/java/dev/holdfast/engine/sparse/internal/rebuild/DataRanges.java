package dev.holdfast.engine.sparse.internal.rebuild;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.engine.sparse.internal.replica.Regions;
import dev.holdfast.engine.sparse.internal.volume.LayerAccess;
import dev.holdfast.engine.sparse.rpc.LayerEntry;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Ranges of a layer with data. Read once, because the search for the end of data is expensive in a
 * large layer without holes: some file systems visit every page.
 */
final class DataRanges {
  // First byte and end (exclusive) of each range, ascending.
  private long[] bounds = new long[16];
  private int count;

  private DataRanges() {}

  /** Reads the ranges of a whole layer from a replica. */
  static DataRanges of(LayerAccess replica, LayerEntry layer) throws StorageException {
    DataRanges ranges = new DataRanges();
    replica.extents(
        layer.getImage(),
        0,
        layer.getSize(),
        (at, length, kind) -> {
          if (kind == ExtentKind.DATA) {
            ranges.add(at, at + length);
          }
          return true;
        });
    return ranges;
  }

  private void add(long from, long to) {
    if (count > 0 && bounds[count - 1] == from) {
      bounds[count - 1] = to;
      return;
    }
    if (count == bounds.length) {
      bounds = Arrays.copyOf(bounds, 2 * count);
    }
    bounds[count++] = from;
    bounds[count++] = to;
  }

  /** Returns the regions that contain data. */
  BitSet regions() {
    BitSet regions = new BitSet();
    for (int i = 0; i < count; i += 2) {
      regions.set(Regions.of(bounds[i]), Regions.of(bounds[i + 1] - 1) + 1);
    }
    return regions;
  }

  /**
   * Returns the ranges in a part of the layer, each with its first byte and its end (exclusive).
   */
  List<long[]> within(long offset, long length) {
    List<long[]> within = new ArrayList<>();
    int place = Arrays.binarySearch(bounds, 0, count, offset);
    // The range that holds the offset, or the next.
    int first = (place < 0 ? -place - 1 : place) & ~1;
    for (int i = first; i < count && bounds[i] < offset + length; i += 2) {
      long from = Math.max(offset, bounds[i]);
      long to = Math.min(offset + length, bounds[i + 1]);
      if (from < to) {
        within.add(new long[] {from, to});
      }
    }
    return within;
  }

  /** Returns how many bytes of a part of the layer are data. */
  long bytes(long offset, long length) {
    return within(offset, length).stream().mapToLong(range -> range[1] - range[0]).sum();
  }
}
