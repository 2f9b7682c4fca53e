package dev.holdfast.image.internal.content;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.BaseWriter;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.disk.MemoryBases;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Copies that are interrupted, wrong, and resumed. */
class BaseTaskTest {
  private static final int REGION = (int) BaseWriter.REGION_BYTES;
  private static final int PIECE = 1 << 20;
  private static final int SIZE = 2 * REGION + 3 * PIECE + 512;

  private final MemoryBases engine = new MemoryBases();
  private final byte[] content = new byte[SIZE];
  private final List<Long> read = new ArrayList<>();
  private BaseLocation base;

  @BeforeEach
  void fill() {
    Random random = new Random(11);
    // The second of every three MiB is a hole.
    for (int at = 0; at < SIZE; at += PIECE) {
      byte[] piece = new byte[Math.min(PIECE, SIZE - at)];
      if (at / PIECE % 3 != 1) {
        random.nextBytes(piece);
      }
      System.arraycopy(piece, 0, content, at, piece.length);
    }
    base =
        new BaseLocation(
            "debian", "u-1", DiskLocation.directory("node", Path.of("/disk")), checksum());
  }

  private String checksum() {
    ContentDigest digest = new ContentDigest(SIZE);
    digest.data(ByteBuffer.wrap(content));
    return digest.finish();
  }

  /** Returns a source that fails at a position. */
  private RangeSource until(long end) {
    return (offset, length, sink) -> {
      read.add(offset);
      for (long at = offset; at < offset + length; at += PIECE) {
        if (at >= end) {
          throw new StorageException(ErrorCode.UNREACHABLE, "the sender is gone");
        }
        int count = (int) Math.min(PIECE, offset + length - at);
        if (at / PIECE % 3 == 1) {
          sink.zeroes(count);
        } else {
          sink.data(ByteBuffer.wrap(content, (int) at, count).slice());
        }
      }
    };
  }

  private BaseTask.Outcome sync(RangeSource source) {
    BaseTask task = BaseTask.sync(engine, base, SIZE, source);
    task.run();
    return task.outcome().orElseThrow();
  }

  private byte[] stored() throws Exception {
    byte[] stored = new byte[SIZE];
    BlockIo.read(engine.openBase(base), 0, ByteBuffer.wrap(stored));
    return stored;
  }

  @Test
  void copyIsSealedWithItsChecksum() throws Exception {
    BaseTask.Outcome outcome = sync(until(SIZE));

    assertThat(outcome.failure()).isEmpty();
    assertThat(outcome.contentChecksum()).isEqualTo(checksum());
    assertThat(stored()).isEqualTo(content);
  }

  @Test
  void copyThatBrokeOffContinuesAfterItsCompleteRegions() throws Exception {
    assertThat(sync(until(REGION + 5L * PIECE)).failure()).isPresent();
    assertThat(engine.inspectBase(base).orElseThrow().sealed()).isFalse();

    assertThat(sync(until(SIZE)).failure()).isEmpty();
    assertThat(read).containsExactly(0L, (long) REGION);
    assertThat(stored()).isEqualTo(content);
  }

  @Test
  void wrongContentIsNotSealedAndNotContinued() throws Exception {
    RangeSource right = until(SIZE);
    content[REGION + PIECE + 7]++;
    assertThat(sync(right).failure().map(StorageException::code)).contains(ErrorCode.INVALID);
    assertThat(engine.inspectBase(base)).isEmpty();

    content[REGION + PIECE + 7]--;
    assertThat(sync(right).failure()).isEmpty();
    assertThat(read).containsExactly(0L, 0L);
    assertThat(stored()).isEqualTo(content);
  }

  @Test
  @Timeout(60)
  void copyThatItsBundleEndedIsContinuedByTheNextOne() throws Exception {
    CountDownLatch halfway = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    RangeSource all = until(SIZE);
    BaseTask begun =
        BaseTask.sync(
            engine,
            base,
            SIZE,
            (offset, length, sink) -> {
              all.copyTo(offset, REGION + 5L * PIECE, sink);
              halfway.countDown();
              awaitQuietly(ended);
              all.copyTo(REGION + 5L * PIECE, PIECE, sink);
            });
    BaseTasks former = new BaseTasks();
    former.start("copy", begun);
    halfway.await();
    former.close();
    ended.countDown();
    while (begun.outcome().isEmpty()) {
      Thread.onSpinWait();
    }
    assertThat(begun.outcome().get().failure()).isPresent();

    read.clear();
    assertThat(sync(until(SIZE)).failure()).isEmpty();
    assertThat(read).containsExactly((long) REGION);
    assertThat(stored()).isEqualTo(content);
  }

  /** Waits without reacting to interrupts, like a call into the kernel. */
  private static void awaitQuietly(CountDownLatch latch) {
    boolean interrupted = false;
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
