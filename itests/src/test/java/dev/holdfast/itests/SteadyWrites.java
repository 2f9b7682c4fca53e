package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A client that never stops, and leaves the processors to others for half of the time but in soak:
 * it writes, reads and flushes blocks that contain the number of their write, and checks the blocks
 * that it reads. A lost connection is made again, and the request repeated, when one was announced;
 * else it is an error, as is any answer but success.
 */
final class SteadyWrites implements AutoCloseable {
  static final int BLOCK = 4096;
  private static final int FLUSH_EVERY = 64;
  private static final long SOME = 200;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final boolean TIRELESS = Boolean.getBoolean("holdfast.soak");
  private static final long LONGEST_REST_NANOS = Duration.ofMillis(2).toNanos();

  private volatile URI uri;
  private final Random random;
  private final long[] content;
  private final AtomicLong count = new AtomicLong();
  private final AtomicLong flushes = new AtomicLong();
  private final AtomicLong connections = new AtomicLong();
  private final AtomicLong longestNanos = new AtomicLong();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final Thread thread;
  private volatile boolean mayDisconnect;
  private volatile boolean stopped;
  private long connectionsBefore;

  // The block of a write that was not answered is the first to be written again: until then it may
  // hold the old content or the new.
  private int unanswered = -1;

  SteadyWrites(int blocks, long seed, URI uri) {
    this.uri = uri;
    this.random = new Random(seed);
    this.content = new long[blocks];
    this.thread = new Thread(this::run, "steady writes");
    thread.start();
  }

  long count() {
    return count.get();
  }

  long flushes() {
    return flushes.get();
  }

  /** Returns the longest duration of a read and the write after it since the last call. */
  Duration longestPause() {
    return Duration.ofNanos(longestNanos.getAndSet(0));
  }

  /** Permits the loss of the connection, until {@link #awaitReconnection}. */
  void expectDisconnection() {
    connectionsBefore = connections.get();
    mayDisconnect = true;
  }

  void awaitReconnection() {
    await("a new connection", () -> connections.get() > connectionsBefore);
    awaitProgress();
    mayDisconnect = false;
  }

  /** Continues at another endpoint once the request in flight is answered. */
  void switchTo(URI other) {
    connectionsBefore = connections.get();
    uri = other;
    await("a connection to " + other, () -> connections.get() > connectionsBefore);
  }

  /** Waits until some more writes were acknowledged. */
  void awaitProgress() {
    long wanted = count.get() + SOME;
    await("writes are acknowledged", () -> count.get() >= wanted);
  }

  private void await(String what, BooleanSupplier condition) {
    Await.until(
        what,
        PATIENCE,
        () -> {
          assertHealthy();
          return condition.getAsBoolean();
        });
  }

  private void assertHealthy() {
    assertThat(failure.get()).as("what the client met").isNull();
  }

  private void run() {
    try {
      while (!stopped) {
        session();
      }
    } catch (Throwable e) {
      failure.set(e);
    }
  }

  private void session() throws IOException {
    URI here = uri;
    try (NbdConnection connection = new NbdConnection(here)) {
      connections.incrementAndGet();
      while (!stopped && here.equals(uri)) {
        step(connection);
      }
    } catch (IOException e) {
      if (!mayDisconnect) {
        throw e;
      }
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
    }
  }

  private void step(NbdConnection connection) throws IOException {
    long begun = System.nanoTime();
    int block = unanswered >= 0 ? unanswered : random.nextInt(content.length);
    if (unanswered < 0) {
      check(block, connection.read((long) block * BLOCK, BLOCK));
    }
    unanswered = block;
    long number = content[block] + 1;
    accepted(connection.write((long) block * BLOCK, bytes(block, number)));
    content[block] = number;
    unanswered = -1;
    long took = System.nanoTime() - begun;
    longestNanos.accumulateAndGet(took, Math::max);
    if (count.incrementAndGet() % FLUSH_EVERY == 0) {
      connection.sendFlush(1);
      accepted(connection.receive().error());
      flushes.incrementAndGet();
    }
    if (!TIRELESS) {
      LockSupport.parkNanos(Math.min(took, LONGEST_REST_NANOS));
    }
  }

  private static void accepted(int error) {
    assertThat(error).as("the error that the client was told").isZero();
  }

  private void check(int block, byte[] found) {
    assertThat(Arrays.equals(found, bytes(block, content[block])))
        .as(
            "block %d holds write %d whole (it says %d)",
            block, content[block], ByteBuffer.wrap(found).getLong(8))
        .isTrue();
  }

  /** Stops, and fails if any error occurred. */
  @Override
  public void close() {
    stopped = true;
    try {
      thread.join(PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while the last request was awaited", e);
    }
    assertHealthy();
    assertThat(thread.isAlive()).as("the last request is unanswered").isFalse();
  }

  /** Fails unless every block holds its last acknowledged write. */
  void verify() throws IOException {
    try (NbdConnection connection = new NbdConnection(uri)) {
      for (int block = 0; block < content.length; block++) {
        check(block, connection.read((long) block * BLOCK, BLOCK));
      }
    }
  }

  /** Takes a write for acknowledged that was never made: what a lost write looks like. */
  void pretendOneMore() {
    content[0]++;
  }

  private static byte[] bytes(int block, long number) {
    ByteBuffer buffer = ByteBuffer.allocate(BLOCK);
    if (number > 0) {
      buffer.putLong(block).putLong(number);
      while (buffer.hasRemaining()) {
        buffer.putLong(number * 0x9E3779B97F4A7C15L + buffer.position());
      }
    }
    return buffer.array();
  }
}
