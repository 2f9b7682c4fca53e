package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Somebody else's client, run again and again until the test has seen enough. */
final class RepeatedCommand implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final Callable<Command.Result> command;
  private final AtomicInteger runs = new AtomicInteger();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final Thread thread;
  private volatile boolean stopped;

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
      while (!stopped) {
        Command.Result unused = command.call().succeeded();
        runs.incrementAndGet();
      }
    } catch (Exception | AssertionError e) {
      failure.set(e);
    }
  }

  /** Fails if the command did, or did not run to its end once. */
  @Override
  public void close() {
    stopped = true;
    try {
      thread.join(PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    assertThat(failure.get()).as(thread.getName()).isNull();
    assertThat(runs()).as(thread.getName() + ": runs").isPositive();
  }
}
