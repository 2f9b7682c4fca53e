package dev.holdfast.image.internal.content;

import dev.holdfast.engine.BaseWriter;
import dev.holdfast.error.StorageException;
import java.util.BitSet;

/**
 * Completes a base of which some regions are already durable. Decides only the order of the work.
 */
final class MissingContent {
  private MissingContent() {}

  /** Reads the durable regions back and copies only the others from the source. */
  static void fill(BaseWriter writer, long size, DeviceSink sink, RangeSource source)
      throws StorageException {
    BitSet written = writer.written();
    for (long at = 0; at < size; ) {
      int region = (int) (at / BaseWriter.REGION_BYTES);
      boolean durable = written.get(region);
      int next = durable ? written.nextClearBit(region) : written.nextSetBit(region);
      long end = next < 0 ? size : Math.min(size, next * BaseWriter.REGION_BYTES);
      if (durable) {
        sink.keep(end - at);
      } else {
        source.copyTo(at, end - at, sink);
      }
      at = end;
    }
  }
}
