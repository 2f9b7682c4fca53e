package dev.holdfast.block.filter;

import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the flushes in flight inside the device. */
final class InsideDevice extends ForwardingBlockDevice {
  private final AtomicLong inside;

  InsideDevice(AtomicLong inside) {
    super(new ArrayDevice(4096));
    this.inside = inside;
  }

  @Override
  public void flush(Completion completion) {
    inside.incrementAndGet();
    Thread.onSpinWait();
    inside.decrementAndGet();
    completion.completed(null);
  }
}
