package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Writes numbered blocks through a client, one after the other, until it is stopped. Each block
 * then holds the number of its last write, because each write was answered.
 */
final class NumberedWriter {
  private static final int BLOCK = 4096;
  private static final int BLOCKS = 512;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final NvmeClient client;
  private final long[] last = new long[BLOCKS];
  private final AtomicLong writes = new AtomicLong();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final Thread thread = new Thread(this::run, "numbered writes");
  private volatile boolean over;

  NumberedWriter(NvmeClient client) {
    this.client = client;
    thread.setDaemon(true);
    thread.start();
  }

  private static byte[] numbered(long number) {
    ByteBuffer content = ByteBuffer.allocate(BLOCK);
    while (content.hasRemaining()) {
      content.putLong(number);
    }
    return content.array();
  }

  private void run() {
    Random random = new Random(11);
    try {
      while (!over) {
        int block = random.nextInt(BLOCKS);
        long number = writes.get() + 1;
        client.write((long) block * BLOCK, numbered(number));
        last[block] = number;
        writes.set(number);
      }
    } catch (Exception | AssertionError e) {
      failure.set(e);
    }
  }

  /** Waits until so many more writes were answered. */
  void awaitWrites(int count) {
    long enough = writes.get() + count;
    Await.until(
        count + " more writes are answered",
        LIMIT,
        () -> writes.get() >= enough || failure.get() != null);
    assertThat(failure.get()).isNull();
  }

  /** Stops, and fails unless each block holds its last write. */
  void finish() throws Exception {
    over = true;
    thread.join();
    assertThat(failure.get()).isNull();
    for (int block = 0; block < BLOCKS; block++) {
      assertThat(client.read((long) block * BLOCK, BLOCK))
          .as("block %d", block)
          .isEqualTo(last[block] == 0 ? new byte[BLOCK] : numbered(last[block]));
    }
  }
}
