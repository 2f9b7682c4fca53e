package dev.holdfast.block.filter;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Prints the cost of the filters per request over a device without work. Run it by hand. */
final class GateCost {
  private static final int REQUESTS = 20_000_000;
  private static final int ROUNDS = 7;

  private GateCost() {}

  public static void main(String[] arguments) throws InterruptedException {
    for (int threads : new int[] {1, 2}) {
      double bare = median(threads, new NothingDevice());
      double gated = median(threads, new GatedDevice("gated", new NothingDevice()));
      double untimed = median(threads, new GatedDevice("gated", new NothingDevice(), () -> 0));
      double metered = median(threads, new MeteredDevice(new NothingDevice()));
      System.out.printf(
          Locale.ROOT,
          "%d threads: nothing %.1f ns, gate %.1f ns, gate without clock %.1f ns, meter %.1f ns a request%n",
          threads,
          bare,
          gated,
          untimed,
          metered);
    }
    com.sun.management.ThreadMXBean beans =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = beans.getThreadAllocatedBytes(Thread.currentThread().getId());
    run(new GatedDevice("gated", new NothingDevice()));
    long after = beans.getThreadAllocatedBytes(Thread.currentThread().getId());
    System.out.printf("%d bytes allocated in %d requests%n", after - before, REQUESTS);
  }

  private static double median(int threads, BlockDevice device) throws InterruptedException {
    double[] rounds = new double[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      List<Thread> running = new ArrayList<>();
      long start = System.nanoTime();
      for (int i = 0; i < threads; i++) {
        Thread thread = new Thread(() -> run(device));
        thread.start();
        running.add(thread);
      }
      for (Thread thread : running) {
        thread.join();
      }
      rounds[round] = (double) (System.nanoTime() - start) / REQUESTS;
    }
    Arrays.sort(rounds);
    return rounds[ROUNDS / 2];
  }

  private static void run(BlockDevice device) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
    long[] ended = new long[1];
    Completion completion = failure -> ended[0]++;
    for (int i = 0; i < REQUESTS; i++) {
      device.read(0, buffer, completion);
    }
    if (ended[0] != REQUESTS) {
      throw new IllegalStateException("requests are missing");
    }
  }

  private static final class NothingDevice extends ForwardingBlockDevice {
    NothingDevice() {
      super(new ArrayDevice(4096));
    }

    @Override
    public void read(long offset, ByteBuffer target, Completion completion) {
      completion.completed(null);
    }
  }
}
