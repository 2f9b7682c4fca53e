package dev.holdfast.frontend.nbd;

import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;

/** A device of any size that consists of one hole; records the length of the last zeroing. */
final class HugeBlockDevice extends ForwardingBlockDevice {
  private final long size;
  private volatile long lastLength;

  HugeBlockDevice(long size) {
    super(new MemoryBlockDevice(4096));
    this.size = size;
  }

  long lastLength() {
    return lastLength;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    lastLength = length;
    completion.completed(null);
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    boolean unused = visitor.extent(offset, length, ExtentKind.HOLE);
    completion.completed(null);
  }
}
