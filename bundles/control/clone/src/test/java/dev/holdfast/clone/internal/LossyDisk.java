package dev.holdfast.clone.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/**
 * A disk of a few blocks, each filled with one byte. At a power failure it loses some of the
 * unflushed blocks. Every request completes at once.
 */
final class LossyDisk implements BlockDevice {
  static final int BLOCK = 4096;

  private final Random random;
  private final byte[] content;
  private final byte[] durable;
  private boolean ignoresFlushes;

  LossyDisk(int blocks, Random random) {
    this.random = random;
    this.content = new byte[blocks];
    this.durable = new byte[blocks];
  }

  /** Sets whether flushes succeed without effect. */
  void ignoreFlushes(boolean ignore) {
    ignoresFlushes = ignore;
  }

  void losePower() {
    for (int i = 0; i < content.length; i++) {
      content[i] = random.nextBoolean() ? content[i] : durable[i];
      durable[i] = content[i];
    }
  }

  byte at(int block) {
    return content[block];
  }

  @Override
  public long size() {
    return (long) content.length * BLOCK;
  }

  @Override
  public int blockSize() {
    return BLOCK;
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    for (int i = (int) (offset / BLOCK); target.hasRemaining(); i++) {
      byte[] block = new byte[BLOCK];
      Arrays.fill(block, content[i]);
      target.put(block);
    }
    completion.completed(null);
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    for (int i = (int) (offset / BLOCK); source.hasRemaining(); i++) {
      content[i] = source.get(source.position());
      source.position(source.position() + BLOCK);
    }
    completion.completed(null);
  }

  @Override
  public void flush(Completion completion) {
    if (!ignoresFlushes) {
      System.arraycopy(content, 0, durable, 0, content.length);
    }
    completion.completed(null);
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    writeZeroes(offset, length, flags, completion);
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    int first = (int) (offset / BLOCK);
    Arrays.fill(content, first, first + (int) (length / BLOCK), (byte) 0);
    completion.completed(null);
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    boolean more = true;
    for (long at = offset; more && at < offset + length; at += BLOCK) {
      boolean data = content[(int) (at / BLOCK)] != 0;
      more = visitor.extent(at, BLOCK, data ? ExtentKind.DATA : ExtentKind.HOLE);
    }
    completion.completed(null);
  }

  @Override
  public void close() {}
}
