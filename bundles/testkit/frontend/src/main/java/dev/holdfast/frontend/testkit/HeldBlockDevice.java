package dev.holdfast.frontend.testkit;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;

/**
 * Holds reads and writes until the test releases one, which another thread then executes. Simulates
 * a device that completes later and in any order.
 */
public final class HeldBlockDevice extends ForwardingBlockDevice {
  private final BlockingDeque<Runnable> held = new LinkedBlockingDeque<>();

  /**
   * Creates a filter.
   *
   * @param below receives the requests, not null
   */
  public HeldBlockDevice(BlockDevice below) {
    super(below);
  }

  /** Returns the number of waiting requests. */
  public int waiting() {
    return held.size();
  }

  /** Waits for a request and executes the oldest one on another thread. */
  public void releaseOldest() throws InterruptedException {
    perform(held.takeFirst());
  }

  /** Waits for a request and executes the newest one on another thread. */
  public void releaseNewest() throws InterruptedException {
    perform(held.takeLast());
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    held.add(() -> below().read(offset, target, completion));
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    held.add(() -> below().write(offset, source, flags, completion));
  }

  private static void perform(Runnable request) throws InterruptedException {
    Thread device = new Thread(request, "held-device");
    device.start();
    device.join();
  }
}
