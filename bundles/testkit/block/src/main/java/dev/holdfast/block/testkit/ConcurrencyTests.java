package dev.holdfast.block.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.IoFlags;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Concurrent requests: writes are not lost, and each sector contains the bytes of one writer. */
abstract class ConcurrencyTests extends DeviceTests {
  private static final int THREADS = 4;
  private static final int SECTOR = 512;

  ConcurrencyTests(BlockDeviceFactory factory) {
    super(factory);
  }

  /** The task of one thread; threads are numbered from 0. */
  private interface Work {
    void run(int thread, Random own) throws Exception;
  }

  private void together(Work work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        Random own = new Random(random.nextLong());
        tasks.add(
            () -> {
              work.run(thread, own);
              return null;
            });
      }
      for (Future<Void> done : threads.invokeAll(tasks)) {
        done.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  final void disjointAreasKeepTheirOwnersBytes() throws Exception {
    int area = SIZE / THREADS;
    together(
        (thread, own) -> {
          byte[] shadow = new byte[area];
          for (int step = 0; step < STEPS / 2; step++) {
            int length = own.nextInt(20_000);
            int offset = own.nextInt(area - length);
            byte[] content = new byte[length];
            if (own.nextInt(4) == 0) {
              io.zero((long) thread * area + offset, length, IoFlags.NONE);
            } else {
              own.nextBytes(content);
              io.write((long) thread * area + offset, content);
            }
            System.arraycopy(content, 0, shadow, offset, length);
            int from = own.nextInt(area - 5_000);
            assertContent(
                hint(),
                io.read((long) thread * area + from, 5_000),
                Arrays.copyOfRange(shadow, from, from + 5_000));
          }
          assertContent(hint(), io.read((long) thread * area, area), shadow);
        });
  }

  @Test
  final void neighboursInOneBlockDoNotLoseEachOther() throws Exception {
    int piece = 100;
    int pieces = 2_000;
    together(
        (thread, own) -> {
          byte[] content = new byte[piece];
          Arrays.fill(content, (byte) (thread + 1));
          for (int i = thread; i < pieces; i += THREADS) {
            io.write((long) i * piece, content);
          }
        });
    byte[] found = io.read(0, pieces * piece);
    for (int i = 0; i < found.length; i++) {
      assertThat((int) found[i]).as("byte %d", i).isEqualTo(i / piece % THREADS + 1);
    }
  }

  @Test
  final void overlappingWritesLeaveSectorsOfOneWriter() throws Exception {
    int space = 64 * 1024;
    together(
        (thread, own) -> {
          for (int step = 1; step <= STEPS; step++) {
            byte[] content = new byte[SECTOR * (1 + own.nextInt(32))];
            Arrays.fill(content, (byte) (1 + (step * THREADS + thread) % 127));
            int last = (space - content.length) / SECTOR;
            io.write((long) own.nextInt(last + 1) * SECTOR, content);
          }
        });
    byte[] found = io.read(0, space);
    assertContent("the same when read again", io.read(0, space), found);
    for (int sector = 0; sector < space / SECTOR; sector++) {
      byte[] content = Arrays.copyOfRange(found, sector * SECTOR, (sector + 1) * SECTOR);
      assertThat(content).as("sector %d, %s", sector, hint()).containsOnly(content[0]);
    }
  }

  @Test
  final void flushesMayRunBesideWrites() throws Exception {
    together(
        (thread, own) -> {
          for (int step = 0; step < 20; step++) {
            byte[] content = new byte[4096];
            own.nextBytes(content);
            long offset = (thread * 20L + step) * 4096;
            io.write(offset, content, step % 2 == 0 ? IoFlags.FUA : IoFlags.NONE);
            io.flush();
            assertContent(io.read(offset, 4096), content);
          }
        });
  }

  @Test
  final void requestsWithoutWaitingAllComplete() throws StorageException {
    List<Outcome> outcomes = new ArrayList<>();
    byte[] content = bytes(256 * 4096);
    for (int i = 0; i < 256; i++) {
      Outcome outcome = new Outcome();
      byte[] piece = Arrays.copyOfRange(content, i * 4096, (i + 1) * 4096);
      device.write(i * 4096L, DeviceIo.direct(piece), IoFlags.NONE, outcome);
      outcomes.add(outcome);
    }
    for (Outcome outcome : outcomes) {
      outcome.get();
    }
    assertContent(io.read(0, content.length), content);
  }
}
