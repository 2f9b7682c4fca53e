package dev.holdfast.image.internal.content;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.diskimage.ImageFormat;
import dev.holdfast.diskimage.VirtualDisk;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Content that several readers read ahead arrives completely and in order, or the copy fails. */
@Timeout(60)
class ReadAheadTest {
  private static final int STEP = 192 * 1024;
  private static final int SIZE = 24 << 20;

  private final byte[] content = new byte[SIZE];
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger reading = new AtomicInteger();

  /** Every third step is a hole, so that runs begin and end within pieces. */
  @BeforeEach
  void fill() {
    Random random = new Random(3);
    for (int at = 0; at < SIZE; at += STEP) {
      byte[] piece = new byte[Math.min(STEP, SIZE - at)];
      if (!isHole(at)) {
        random.nextBytes(piece);
      }
      System.arraycopy(piece, 0, content, at, piece.length);
    }
  }

  private static boolean isHole(long offset) {
    return offset / STEP % 3 == 2;
  }

  /** Reads a piece; may wait or fail. */
  private interface Access {
    void check(long offset) throws StorageException;
  }

  private final class Disk implements VirtualDisk {
    private final Access access;

    Disk(Access access) {
      this.access = access;
      open.incrementAndGet();
    }

    @Override
    public ImageFormat format() {
      return ImageFormat.RAW;
    }

    @Override
    public long size() {
      return SIZE;
    }

    @Override
    public Run run(long offset) {
      long end = offset / STEP * STEP;
      do {
        end += STEP;
      } while (end < SIZE && isHole(end) == isHole(offset));
      return new Run(Math.min(SIZE, end) - offset, isHole(offset));
    }

    @Override
    public void read(long offset, ByteBuffer target) throws StorageException {
      reading.incrementAndGet();
      access.check(offset);
      target.put(content, (int) offset, target.remaining());
      reading.decrementAndGet();
    }

    @Override
    public VirtualDisk another() {
      return new Disk(access);
    }

    @Override
    public void close() {
      open.decrementAndGet();
    }
  }

  /** Records the content. */
  private static final class Taken implements ContentSink {
    private final byte[] bytes = new byte[SIZE];
    private int at;

    @Override
    public void data(ByteBuffer data) {
      int count = data.remaining();
      data.get(bytes, at, count);
      at += count;
    }

    @Override
    public void zeroes(long length) {
      at += (int) length;
    }
  }

  private void copy(Access access, ContentSink sink) throws StorageException {
    try (Disk disk = new Disk(access)) {
      DiskContent.copy(disk, sink);
    } finally {
      assertThat(open).as("open readers").hasValue(0);
    }
  }

  @Test
  void contentArrivesInOrderAlthoughTheFirstReadIsTheLastToEnd() throws Exception {
    CountDownLatch others = new CountDownLatch(1);
    Taken taken = new Taken();
    copy(
        offset -> {
          if (offset > 0) {
            others.countDown();
          } else {
            await(others);
          }
        },
        taken);
    assertThat(taken.at).isEqualTo(SIZE);
    assertThat(taken.bytes).isEqualTo(content);
  }

  private static void await(CountDownLatch latch) throws StorageException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new StorageException(ErrorCode.INTERNAL, "interrupted", e);
    }
  }

  @Test
  void readThatFailsEndsTheCopyAfterWhatStandsBeforeIt() {
    int failing = 30 * STEP;
    Taken taken = new Taken();
    assertThatThrownBy(
            () ->
                copy(
                    offset -> {
                      if (offset >= failing) {
                        throw new StorageException(ErrorCode.IO, "damaged at " + offset);
                      }
                    },
                    taken))
        .isInstanceOf(StorageException.class)
        .hasMessage("damaged at " + failing);
    assertThat(taken.at).isEqualTo(failing);
  }

  @Test
  void sinkThatFailsEndsTheCopyWhenNoReadRunsAnyMore() {
    ContentSink full =
        new ContentSink() {
          @Override
          public void data(ByteBuffer bytes) throws StorageException {
            throw new StorageException(ErrorCode.NO_SPACE, "full");
          }

          @Override
          public void zeroes(long length) {}
        };
    assertThatThrownBy(() -> copy(offset -> {}, full))
        .isInstanceOf(StorageException.class)
        .hasMessage("full");
    assertThat(reading).hasValue(0);
  }
}
