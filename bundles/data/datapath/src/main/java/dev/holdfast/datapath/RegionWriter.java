package dev.holdfast.datapath;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.IoFlags;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes regions from one source, with one buffer. Zeroes the volume's data where the source has
 * none, so that a partly copied region keeps no old data; above a base, leaves it unchanged. Used
 * by one thread.
 */
final class RegionWriter {
  private static final int MOST_DATA = 8 << 20;

  private final RegionCopy.CopySource source;
  private final CopyingDevice device;
  private final ByteBuffer buffer;

  RegionWriter(RegionCopy.CopySource source, CopyingDevice device) {
    this.source = source;
    this.device = device;
    int largest = (int) Math.min(MOST_DATA, device.plan().regionSize());
    this.buffer = ByteBuffer.allocateDirect(largest);
  }

  /**
   * Copies a claimed region, or marks it as damaged; releases the claim after a failure.
   *
   * @return how many bytes were written
   */
  long copy(int region) throws StorageException {
    boolean ended = false;
    try {
      long written = write(region);
      device.copied(region);
      ended = true;
      return written;
    } catch (StorageException e) {
      if (!source.isDamage(e)) {
        throw e;
      }
      device.damaged(region, e);
      ended = true;
      return 0;
    } finally {
      if (!ended) {
        device.giveBack(region);
      }
    }
  }

  private long write(int region) throws StorageException {
    BlockDevice target = device.target();
    long clean = device.plan().start(region);
    long end = device.plan().end(region);
    long written = 0;
    for (RegionCopy.Range found : source.allocated(new RegionCopy.Range(clean, end - clean))) {
      zero(target, clean, found.offset());
      if (source.isZero(found)) {
        drop(target, found.offset(), found.end());
      } else {
        fill(target, found);
        written += found.length();
      }
      clean = found.end();
    }
    zero(target, clean, end);
    return written;
  }

  private void fill(BlockDevice target, RegionCopy.Range range) throws StorageException {
    for (long from = range.offset(); from < range.end(); from += buffer.capacity()) {
      int length = (int) Math.min(buffer.capacity(), range.end() - from);
      buffer.clear().limit(length);
      source.read(from, buffer);
      long offset = from;
      RegionCopy.await(completion -> target.write(offset, buffer.flip(), IoFlags.NONE, completion));
    }
  }

  private void zero(BlockDevice target, long from, long end) throws StorageException {
    if (from < end && !source.isAboveBase()) {
      drop(target, from, end);
    }
  }

  /** Zeroes the volume's data in a range. */
  private static void drop(BlockDevice target, long from, long end) throws StorageException {
    List<RegionCopy.Range> stale = new ArrayList<>();
    RegionCopy.await(
        completion ->
            target.extents(
                from,
                end - from,
                (offset, length, kind) -> {
                  long start = Math.max(offset, from);
                  if (kind == ExtentKind.DATA) {
                    stale.add(new RegionCopy.Range(start, Math.min(offset + length, end) - start));
                  }
                  return true;
                },
                completion));
    for (RegionCopy.Range range : stale) {
      RegionCopy.await(
          completion ->
              target.writeZeroes(range.offset(), range.length(), IoFlags.NONE, completion));
    }
  }
}
