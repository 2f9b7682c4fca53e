package dev.holdfast.frontend.iscsi;

import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** Memory that counts its writes. */
final class CountedDevice extends ForwardingBlockDevice {
  private final AtomicInteger writes = new AtomicInteger();

  CountedDevice(int size) {
    super(new MemoryBlockDevice(size));
  }

  int writes() {
    return writes.get();
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    writes.incrementAndGet();
    super.write(offset, source, flags, completion);
  }
}
