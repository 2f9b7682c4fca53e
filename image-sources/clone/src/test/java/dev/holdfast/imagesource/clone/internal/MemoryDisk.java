package dev.holdfast.imagesource.clone.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.SourceDisk;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;

/** An image in memory; ranges of zeroes of 4 KiB are holes, and pieces have odd lengths. */
final class MemoryDisk implements SourceDisk {
  private static final int BLOCK = 4096;
  private static final int ODD = 1000;

  private final byte[] content;

  MemoryDisk(byte[] content) {
    this.content = content;
  }

  @Override
  public long size() {
    return content.length;
  }

  @Override
  public BitSet dataClusters(int cluster) {
    throw new UnsupportedOperationException("a clone copies all");
  }

  @Override
  public void copy(long offset, long length, Target target) throws StorageException {
    int end = (int) (offset + length);
    for (int at = (int) offset; at < end; ) {
      int until = Math.min(end, (at / BLOCK + 1) * BLOCK);
      if (isZero(at, until)) {
        target.zeroes(until - at);
        at = until;
      } else {
        int count = Math.min(ODD, until - at);
        target.data(ByteBuffer.wrap(content, at, count));
        at += count;
      }
    }
  }

  private boolean isZero(int from, int to) {
    return Arrays.equals(content, from, to, new byte[to - from], 0, to - from);
  }

  @Override
  public void close() {
    // memory
  }
}
