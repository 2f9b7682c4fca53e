package dev.holdfast.frontend.testkit;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.IoFlags;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicInteger;

/** An in-memory device that knows its holes and counts durable writes. Thread-safe. */
public final class MemoryBlockDevice implements BlockDevice {
  private static final int BLOCK = 4096;

  private final byte[] content;
  private final BitSet allocated = new BitSet();
  private final AtomicInteger flushes = new AtomicInteger();
  private final AtomicInteger durableWrites = new AtomicInteger();

  /**
   * Creates an empty device.
   *
   * @param size in bytes, a multiple of 4096
   */
  public MemoryBlockDevice(int size) {
    this.content = new byte[size];
  }

  /** Returns the number of flushes. */
  public int flushes() {
    return flushes.get();
  }

  /** Returns the number of requests with FUA. */
  public int durableWrites() {
    return durableWrites.get();
  }

  @Override
  public long size() {
    return content.length;
  }

  @Override
  public int blockSize() {
    return BLOCK;
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    if (BlockRanges.inside(offset, target.remaining(), size(), completion)) {
      synchronized (this) {
        target.put(content, (int) offset, target.remaining());
      }
      completion.completed(null);
    }
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    int length = source.remaining();
    if (BlockRanges.inside(offset, length, size(), completion)) {
      synchronized (this) {
        source.get(content, (int) offset, length);
        allocated.set((int) (offset / BLOCK), (int) ((offset + length + BLOCK - 1) / BLOCK));
      }
      count(flags);
      completion.completed(null);
    }
  }

  @Override
  public void flush(Completion completion) {
    flushes.incrementAndGet();
    completion.completed(null);
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    writeZeroes(offset, length, flags, completion);
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    if (BlockRanges.inside(offset, length, size(), completion)) {
      synchronized (this) {
        java.util.Arrays.fill(content, (int) offset, (int) (offset + length), (byte) 0);
        if ((flags & IoFlags.NO_HOLE) == 0) {
          int first = (int) ((offset + BLOCK - 1) / BLOCK);
          int last = (int) ((offset + length) / BLOCK);
          allocated.clear(first, Math.max(first, last));
        }
      }
      count(flags);
      completion.completed(null);
    }
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    if (BlockRanges.inside(offset, length, size(), completion)) {
      report(offset, offset + length, visitor);
      completion.completed(null);
    }
  }

  @Override
  public void close() {
    // Memory needs no release.
  }

  private synchronized void report(long from, long end, ExtentVisitor visitor) {
    long at = from;
    while (at < end) {
      int block = (int) (at / BLOCK);
      boolean data = allocated.get(block);
      int change = data ? allocated.nextClearBit(block) : allocated.nextSetBit(block);
      long next = change < 0 ? end : Math.min(end, (long) change * BLOCK);
      if (!visitor.extent(at, next - at, data ? ExtentKind.DATA : ExtentKind.HOLE)) {
        return;
      }
      at = next;
    }
  }

  private void count(int flags) {
    if ((flags & IoFlags.FUA) != 0) {
      durableWrites.incrementAndGet();
    }
  }
}
