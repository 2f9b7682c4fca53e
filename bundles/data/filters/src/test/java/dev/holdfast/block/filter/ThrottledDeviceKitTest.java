package dev.holdfast.block.filter;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.BlockDeviceKit;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicLong;

/** A device that delays every second request, with a clock that advances at each read. */
class ThrottledDeviceKitTest extends BlockDeviceKit {
  @Override
  protected BlockDevice create(long size) {
    AtomicLong now = new AtomicLong();
    ThrottledDevice device =
        new ThrottledDevice(
            "kit",
            new ArrayDevice((int) size),
            now::get,
            (nanos, task) ->
                ForkJoinPool.commonPool()
                    .execute(
                        () -> {
                          now.addAndGet(nanos);
                          task.run();
                        }));
    device.limit(new IoLimits(1, 4096, 1, 4096, 1, 4096, 1));
    return device;
  }
}
