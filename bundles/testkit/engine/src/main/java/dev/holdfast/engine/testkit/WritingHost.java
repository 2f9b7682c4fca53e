package dev.holdfast.engine.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/** A host that writes blocks, reads each one back, and keeps a single connection. */
final class WritingHost {
  static final int BLOCK = 4096;
  private static final int BLOCKS = 64;

  /** Size of its region. */
  static final int REGION = BLOCKS * BLOCK;

  private final HostConnection connection;
  private final long base;
  private final Future<?> work;
  private volatile boolean stopped;
  private int rounds;

  /** Starts the host on the region at an offset. */
  WritingHost(HostConnection connection, long base, ExecutorService threads) {
    this.connection = connection;
    this.base = base;
    this.work = threads.submit((Callable<Void>) this::run);
  }

  private Void run() throws IOException {
    byte[] content = new byte[BLOCK];
    for (int round = 1; !stopped; round++) {
      long offset = base + (long) (round % BLOCKS) * BLOCK;
      Arrays.fill(content, (byte) round);
      connection.write(offset, content);
      assertThat(connection.read(offset, BLOCK)).as("block at %d", offset).isEqualTo(content);
      done(round);
    }
    return null;
  }

  private synchronized void done(int round) {
    rounds = round;
    notifyAll();
  }

  /** Waits until it has written more blocks; throws if it has failed. */
  void awaitProgress() throws Exception {
    synchronized (this) {
      int before = rounds;
      while (rounds < before + 3 && !work.isDone()) {
        wait(10);
      }
    }
    if (work.isDone()) {
      work.get();
    }
  }

  /** Stops the host; throws if one of its requests failed. */
  void finish() throws Exception {
    stopped = true;
    work.get();
  }
}
