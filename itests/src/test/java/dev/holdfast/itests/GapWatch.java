package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** A client that reads one block a thousand times a second, and records its longest wait. */
final class GapWatch implements AutoCloseable {
  /** Shorter than any gap that matters; without it the watch takes a processor for itself. */
  private static final long PAUSE_NANOS = 1_000_000;

  private final AtomicLong longestNanos = new AtomicLong();
  private final AtomicReference<IOException> failure = new AtomicReference<>();
  private final Thread thread;
  private volatile boolean stopped;

  GapWatch(URI uri, long offset) {
    thread = new Thread(() -> run(uri, offset), "gap watch");
    thread.start();
  }

  private void run(URI uri, long offset) {
    try (NbdConnection connection = new NbdConnection(uri)) {
      while (!stopped) {
        long start = System.nanoTime();
        connection.read(offset, 4096);
        longestNanos.accumulateAndGet(System.nanoTime() - start, Math::max);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (IOException e) {
      failure.set(e);
    }
  }

  /** Returns the longest wait since the last call. */
  long longestMicros() {
    return longestNanos.getAndSet(0) / 1000;
  }

  @Override
  public void close() {
    stopped = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    assertThat(failure.get()).as("what the client met").isNull();
  }
}
