package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A third-party client that runs repeatedly until the test has seen enough. Except in soak, it
 * pauses for as long as it ran, because several of them would use both processors completely.
 */
final class RepeatedCommand implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final boolean TIRELESS = Boolean.getBoolean("holdfast.soak");

  private final Callable<Command.Result> command;
  private final AtomicInteger runs = new AtomicInteger();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final Thread thread;
  private final CountDownLatch stopped = new CountDownLatch(1);

  RepeatedCommand(String name, Callable<Command.Result> command) {
    this.command = command;
    this.thread = new Thread(this::run, name);
    thread.start();
  }

  int runs() {
    return runs.get();
  }

  private void run() {
    try {
      long rest;
      do {
        long begun = System.nanoTime();
        Command.Result unused = command.call().succeeded();
        runs.incrementAndGet();
        rest = TIRELESS ? 0 : System.nanoTime() - begun;
      } while (!stopped.await(rest, TimeUnit.NANOSECONDS));
    } catch (Exception | AssertionError e) {
      failure.set(e);
    }
  }

  /** Fails if the command did, or did not run to its end once. */
  @Override
  public void close() {
    stopped.countDown();
    try {
      thread.join(PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    assertThat(failure.get()).as(thread.getName()).isNull();
    assertThat(runs()).as(thread.getName() + ": runs").isPositive();
  }
}
