package dev.holdfast.apiserver.internal;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends writes to clients that stopped reading, by interrupting the thread that is stuck: the JDK's
 * server writes to an interruptible channel, which such an interrupt closes. Nothing else reaches
 * the connection, because closing the exchange would wait for the very lock that the write holds.
 *
 * <p>Sleeps as long as nobody writes; for any number of threads.
 */
final class WriteWatchdog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WriteWatchdog.class);

  /** A write of more is cut: each piece that the client takes is progress. */
  private static final int PIECE = 64 << 10;

  private final long limitNanos;
  private final Set<Write> running = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean checking = new AtomicBoolean();
  private final ScheduledThreadPoolExecutor checks;

  WriteWatchdog(Duration limit, ThreadFactory threads) {
    limitNanos = limit.toNanos();
    checks = new ScheduledThreadPoolExecutor(1, threads);
    checks.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    checks.setRejectedExecutionHandler((task, stopped) -> {});
  }

  /** Something that may wait for the client. */
  interface Step {
    void run() throws IOException;
  }

  /** Runs a step on this thread, and interrupts it when it takes longer than the limit. */
  void guard(Step step) throws IOException {
    Write write = new Write(Thread.currentThread(), System.nanoTime());
    running.add(write);
    checkLater();
    try {
      step.run();
    } finally {
      running.remove(write);
      write.end();
    }
  }

  /** Returns a stream every write of which is guarded. */
  OutputStream guard(OutputStream out) {
    return new FilterOutputStream(out) {
      @Override
      public void write(int b) throws IOException {
        guard(() -> out.write(b));
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        for (int done = 0; done < length; done += PIECE) {
          int from = offset + done;
          int count = Math.min(PIECE, length - done);
          guard(() -> out.write(bytes, from, count));
        }
      }

      @Override
      public void flush() throws IOException {
        guard(out::flush);
      }

      @Override
      public void close() throws IOException {
        guard(out::close);
      }
    };
  }

  private void checkLater() {
    if (checking.compareAndSet(false, true)) {
      ScheduledFuture<?> unused =
          checks.schedule(this::check, limitNanos / 2, TimeUnit.NANOSECONDS);
    }
  }

  private void check() {
    long now = System.nanoTime();
    for (Write write : running) {
      if (now - write.since >= limitNanos) {
        write.interrupt();
      }
    }
    checking.set(false);
    if (!running.isEmpty()) {
      checkLater();
    }
  }

  @Override
  public void close() {
    checks.shutdownNow();
  }

  /** One write; its lock keeps the interrupt from reaching what the thread does afterwards. */
  private static final class Write {
    private final Thread thread;
    private final long since;
    private boolean ended;
    private boolean interrupted;

    Write(Thread thread, long since) {
      this.thread = thread;
      this.since = since;
    }

    synchronized void interrupt() {
      if (!ended && !interrupted) {
        interrupted = true;
        thread.interrupt();
        LOG.warn("Cut off a client that stopped reading what it had asked for");
      }
    }

    synchronized void end() {
      ended = true;
      if (interrupted) {
        Thread.interrupted();
      }
    }
  }
}
