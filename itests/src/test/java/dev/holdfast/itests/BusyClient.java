package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A client with one connection that is never lost and 32 writes always under way, a few of them
 * forced. It notes how long it waited for the next answer. Any error is its failure. At the end
 * every block holds its last write.
 */
final class BusyClient implements AutoCloseable {
  private static final int BLOCK = 4096;
  private static final int DEPTH = 32;
  private static final int FORCED_EVERY = 512;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final URI uri;
  private final int blocks;
  private final Random random = new Random(1);
  private final AtomicLongArray written;
  private final AtomicLongArray underWay;
  private final Semaphore room = new Semaphore(DEPTH);
  private final AtomicLong answers = new AtomicLong();
  private final AtomicLong longestGap = new AtomicLong();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final NbdConnection connection;
  private final Thread sender = new Thread(this::send, "busy sender");
  private final Thread receiver = new Thread(this::receive, "busy receiver");
  private volatile boolean stopped;
  private volatile boolean finished;

  BusyClient(URI uri, int blocks) throws IOException {
    this.uri = uri;
    this.blocks = blocks;
    this.written = new AtomicLongArray(blocks);
    this.underWay = new AtomicLongArray(blocks);
    this.connection = new NbdConnection(uri);
    sender.start();
    receiver.start();
  }

  long answers() {
    return answers.get();
  }

  /** Resets the longest gap. */
  void forgetGaps() {
    longestGap.set(0);
  }

  /** Returns the longest time between two answers; the one that is awaited counts. */
  Duration longestGap() {
    long seen = answers();
    Await.until("an answer", PATIENCE, () -> answers() > seen || failure.get() != null);
    healthy();
    return Duration.ofNanos(longestGap.get());
  }

  /** Fails if any error occurred until now. */
  void healthy() {
    assertThat(failure.get()).as("what the busy client met").isNull();
  }

  private void send() {
    try {
      long number = 0;
      while (!stopped) {
        room.acquire();
        int block = random.nextInt(blocks);
        while (underWay.get(block) != 0) {
          block = (block + 1) % blocks;
        }
        number++;
        underWay.set(block, number);
        boolean forced = number % FORCED_EVERY == 0;
        connection.sendWrite(block, (long) block * BLOCK, content(block, number), forced);
      }
    } catch (IOException | InterruptedException e) {
      failure.compareAndSet(null, e);
    }
  }

  private void receive() {
    try {
      long last = System.nanoTime();
      while (!finished) {
        NbdConnection.Reply reply = connection.receive();
        long now = System.nanoTime();
        longestGap.accumulateAndGet(now - last, Math::max);
        last = now;
        int block = Math.toIntExact(reply.handle());
        assertThat(reply.error()).as("the error that the client was told").isZero();
        assertThat(underWay.get(block)).as("the request that is answered").isPositive();
        written.set(block, underWay.getAndSet(block, 0));
        answers.incrementAndGet();
        room.release();
      }
    } catch (IOException | RuntimeException | AssertionError e) {
      // Once everything is answered, closing the connection is how this ends.
      if (!finished) {
        failure.compareAndSet(null, e);
        room.release(DEPTH);
      }
    }
  }

  /** Stops, and fails unless every block holds what was written to it last. */
  @Override
  public void close() throws IOException {
    stopped = true;
    try {
      sender.join(PATIENCE.toMillis());
      Await.until("the last answers", PATIENCE, () -> answered() || failure.get() != null);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      finished = true;
      connection.close();
    }
    healthy();
    try (NbdConnection reader = new NbdConnection(uri)) {
      for (int block = 0; block < blocks; block++) {
        long number = written.get(block);
        assertThat(reader.read((long) block * BLOCK, BLOCK))
            .as("block %d holds write %d", block, number)
            .isEqualTo(number == 0 ? new byte[BLOCK] : content(block, number));
      }
    }
  }

  private boolean answered() {
    return room.availablePermits() >= DEPTH;
  }

  private static byte[] content(int block, long number) {
    ByteBuffer buffer = ByteBuffer.allocate(BLOCK);
    buffer.putLong(number).putLong(block);
    while (buffer.hasRemaining()) {
      buffer.putLong(number * 0x9E3779B97F4A7C15L + buffer.position());
    }
    return buffer.array();
  }
}
