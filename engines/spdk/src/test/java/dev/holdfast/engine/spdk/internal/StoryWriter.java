package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;

/**
 * Writes rising numbers into its own blocks. For each block, it records the last number that was
 * sent and the last one that was answered. Therefore the content at any time can be checked.
 */
final class StoryWriter implements Callable<Void> {
  static final int BLOCK = 4_096;
  private static final int BLOCKS = 48;
  private static final long DISTANCE = 96 << 10;

  private final BlockWriter.Place place;
  private final long base;
  private final AtomicLongArray sent = new AtomicLongArray(BLOCKS);
  private final AtomicLongArray answered = new AtomicLongArray(BLOCKS);
  private final AtomicLong writes = new AtomicLong();
  private volatile boolean over;

  /**
   * Creates a writer.
   *
   * @param number of the writer, from 0 on, below 8
   */
  StoryWriter(BlockWriter.Place place, int number) {
    this.place = place;
    this.base = (long) number * 2 * BLOCK;
  }

  private long offset(int block) {
    return base + block * DISTANCE;
  }

  @Override
  public Void call() throws Exception {
    Random random = new Random(base);
    for (long number = 1; !over; number++) {
      int block = random.nextInt(BLOCKS);
      sent.set(block, number);
      place.write(offset(block), BlockWriter.numbered(number));
      answered.set(block, number);
      writes.incrementAndGet();
    }
    return null;
  }

  /** Makes the writer stop after the present write. */
  void end() {
    over = true;
  }

  long writes() {
    return writes.get();
  }

  /** Returns the last answered number of each block. */
  List<Long> answered() {
    return copy(answered);
  }

  /** Returns the last sent number of each block. */
  List<Long> sent() {
    return copy(sent);
  }

  private static List<Long> copy(AtomicLongArray numbers) {
    return IntStream.range(0, BLOCKS).mapToObj(numbers::get).toList();
  }

  /** Bounds of a content: it includes writes answered before, and excludes writes sent after. */
  record Moment(List<Long> answeredBefore, List<Long> sentAfter) {}

  /** Fails unless a content is within the bounds. */
  void check(String what, byte[] content, Moment moment) {
    ByteBuffer bytes = ByteBuffer.wrap(content);
    for (int block = 0; block < BLOCKS; block++) {
      int offset = (int) offset(block);
      long number = bytes.getLong(offset);
      for (int at = 0; at < BLOCK; at += Long.BYTES) {
        assertThat(bytes.getLong(offset + at))
            .as("%s: block %d, whole", what, block)
            .isEqualTo(number);
      }
      assertThat(number)
          .as("%s: number of block %d", what, block)
          .isBetween(moment.answeredBefore().get(block), moment.sentAfter().get(block));
    }
  }
}
