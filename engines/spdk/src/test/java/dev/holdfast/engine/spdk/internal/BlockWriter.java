package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.spdk.internal.volume.SpdkVolume;
import dev.holdfast.engine.testkit.HostConnection;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Writes numbered blocks, one after the other, until it is stopped. Each block then contains its
 * last number.
 */
final class BlockWriter {
  private static final int BLOCK = 4_096;
  private static final int BLOCKS = 64;

  /** A destination of blocks. */
  interface Place {
    byte[] read(long offset, int length) throws Exception;

    void write(long offset, byte[] content) throws Exception;
  }

  private final Place place;
  private final long base;
  private final long[] last = new long[BLOCKS];
  private final AtomicBoolean over = new AtomicBoolean();
  private long writes;
  private boolean ended;

  private BlockWriter(Place place, long base) {
    this.place = place;
    this.base = base;
  }

  /** Writes through the device of a volume, starting at an offset. */
  static BlockWriter through(SpdkVolume volume, long base) {
    DeviceIo io = new DeviceIo(volume.device());
    return new BlockWriter(
        new Place() {
          @Override
          public byte[] read(long offset, int length) throws Exception {
            return io.read(offset, length);
          }

          @Override
          public void write(long offset, byte[] content) throws Exception {
            io.write(offset, content);
          }
        },
        base);
  }

  /** Writes as a host, starting at an offset. */
  static BlockWriter through(HostConnection host, long base) {
    return new BlockWriter(
        new Place() {
          @Override
          public byte[] read(long offset, int length) throws Exception {
            return host.read(offset, length);
          }

          @Override
          public void write(long offset, byte[] content) throws Exception {
            host.write(offset, content);
          }
        },
        base);
  }

  static byte[] numbered(long number) {
    ByteBuffer content = ByteBuffer.allocate(BLOCK);
    while (content.hasRemaining()) {
      content.putLong(number);
    }
    return content.array();
  }

  Void run() throws Exception {
    Random random = new Random(base);
    try {
      for (long number = 1; !over.get(); number++) {
        int block = random.nextInt(BLOCKS);
        place.write(base + (long) block * BLOCK, numbered(number));
        last[block] = number;
        count(false);
      }
    } finally {
      count(true);
    }
    return null;
  }

  private synchronized void count(boolean end) {
    writes++;
    ended |= end;
    notifyAll();
  }

  /** Waits for more writes. Returns at once if the writer has failed and ended. */
  synchronized void awaitWrites(int count) throws InterruptedException {
    long enough = writes + count;
    while (writes < enough && !ended) {
      wait();
    }
  }

  /** Makes the writer stop after the present write. */
  void end() {
    over.set(true);
  }

  void verify() throws Exception {
    for (int block = 0; block < BLOCKS; block++) {
      assertThat(place.read(base + (long) block * BLOCK, BLOCK))
          .as("block %d", block)
          .isEqualTo(last[block] == 0 ? new byte[BLOCK] : numbered(last[block]));
    }
  }
}
