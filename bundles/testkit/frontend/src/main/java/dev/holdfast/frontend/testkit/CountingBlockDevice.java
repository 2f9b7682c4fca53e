package dev.holdfast.frontend.testkit;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts changes of the device, so that lost and repeated requests are detected. */
final class CountingBlockDevice extends ForwardingBlockDevice {
  private final AtomicInteger changes = new AtomicInteger();

  CountingBlockDevice(BlockDevice below) {
    super(below);
  }

  /** Returns the number of writes, zeroings and flushes. */
  int changes() {
    return changes.get();
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    changes.incrementAndGet();
    super.write(offset, source, flags, completion);
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    changes.incrementAndGet();
    super.writeZeroes(offset, length, flags, completion);
  }

  @Override
  public void flush(Completion completion) {
    changes.incrementAndGet();
    super.flush(completion);
  }
}
