package dev.holdfast.frontend.testkit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A client of a history with its own part of the device, whose content it knows. */
final class HistoryClient implements AutoCloseable {
  /** Size of one client's part of the device. */
  static final int BYTES = 64 << 12;

  private static final int BLOCK = 4096;
  private static final int BLOCKS = BYTES / BLOCK;

  private final Relay relay;
  private final FrontendClient client;
  private final long start;
  private final byte[][] content = new byte[BLOCKS][BLOCK];
  private final List<CompletableFuture<?>> answers = new ArrayList<>();
  private final CompletableFuture<?>[] lastOf = new CompletableFuture<?>[BLOCKS];
  private int changes;

  HistoryClient(Relay relay, FrontendClient client, int number) {
    this.relay = relay;
    this.client = client;
    this.start = (long) number * BYTES;
    Arrays.fill(lastOf, CompletableFuture.completedFuture(null));
  }

  /** Executes one random step without waiting for its reply. */
  void step(Random random) {
    switch (random.nextInt(10)) {
      case 0 -> relay.sendOnly(random.nextInt(3 * BLOCK));
      case 1 -> relay.answerOnly(random.nextInt(3 * BLOCK));
      case 2, 3 -> relay.open();
      case 4 -> change(client.flush());
      default -> burst(random);
    }
  }

  /** Sends several requests at once; each block has at most one in flight. */
  private void burst(Random random) {
    for (int i = random.nextInt(8); i >= 0; i--) {
      int block = random.nextInt(BLOCKS);
      if (!lastOf[block].isDone()) {
        continue;
      }
      if (random.nextInt(3) == 0) {
        lastOf[block] = client.read(start + (long) block * BLOCK, BLOCK).thenAccept(check(block));
      } else {
        random.nextBytes(content[block]);
        boolean durable = random.nextInt(4) == 0;
        byte[] data = content[block].clone();
        lastOf[block] = client.write(start + (long) block * BLOCK, data, durable);
        changes++;
      }
      answers.add(lastOf[block]);
    }
  }

  private void change(CompletableFuture<Void> request) {
    changes++;
    answers.add(request);
  }

  private java.util.function.Consumer<byte[]> check(int block) {
    byte[] expected = content[block].clone();
    return found -> {
      if (!Arrays.equals(found, expected)) {
        throw new AssertionError("a block does not hold what was written to it last");
      }
    };
  }

  /** Passes on all held data. */
  void open() {
    relay.open();
  }

  /** Waits for all replies and reads the complete part again. */
  void finish(long patienceNanos) throws Exception {
    relay.open();
    for (CompletableFuture<?> answer : answers) {
      Object unused = answer.get(patienceNanos, TimeUnit.NANOSECONDS);
    }
    for (int block = 0; block < BLOCKS; block++) {
      byte[] found =
          client.read(start + (long) block * BLOCK, BLOCK).get(patienceNanos, TimeUnit.NANOSECONDS);
      check(block).accept(found);
    }
  }

  /** Returns the number of sent writes and flushes. */
  int changes() {
    return changes;
  }

  @Override
  public void close() throws IOException {
    client.close();
    relay.close();
  }
}
