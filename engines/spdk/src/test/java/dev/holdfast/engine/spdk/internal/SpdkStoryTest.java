package dev.holdfast.engine.spdk.internal;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Snapshots, rebuilds, growths, limits, moves and replacements of the target in random order from
 * two threads. A host and two users of the device write at the same time. At the end the replicas
 * are equal. Each snapshot is equal on both and contains the writes up to its time. The property
 * {@code holdfast.seed} sets the order.
 */
class SpdkStoryTest {
  private static final long SEED = Long.getLong("holdfast.seed", 20_261_129);
  private static final int THREADS = 2;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private SpdkCluster cluster;

  /** Creates the nodes of a test. */
  SpdkCluster cluster(Path folder) throws Exception {
    return new SpdkCluster(folder, SpdkLab::new, 2);
  }

  @BeforeEach
  final void start(@TempDir Path disks) throws Exception {
    cluster = cluster(disks);
  }

  @AfterEach
  final void stop() throws Exception {
    threads.shutdownNow();
    cluster.stop();
  }

  private static void add(List<SpdkStory.Operation> to, int count, SpdkStory.Operation operation) {
    to.addAll(Collections.nCopies(count, operation));
  }

  private void tell(long seed, int snapshots, int rebuilds, int growths, int switches)
      throws Exception {
    try {
      told(seed, snapshots, rebuilds, growths, switches);
    } catch (Exception | AssertionError e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    }
  }

  private void told(long seed, int snapshots, int rebuilds, int growths, int switches)
      throws Exception {
    SpdkStory story = new SpdkStory(cluster);
    List<StoryWriter> writers = List.of(story.device(), story.device(), story.host());
    List<Future<?>> writing = new ArrayList<>();
    writers.forEach(writer -> writing.add(threads.submit(writer)));
    List<SpdkStory.Operation> operations = new ArrayList<>();
    add(operations, snapshots, story::snapshot);
    add(operations, rebuilds, story::rebuild);
    add(operations, growths, story::grow);
    add(operations, growths, story::limit);
    add(operations, switches, story::move);
    add(operations, switches, story::replaceTarget);
    Collections.shuffle(operations, new Random(seed));
    Queue<SpdkStory.Operation> left = new ConcurrentLinkedQueue<>(operations);
    List<Future<?>> working = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      working.add(
          threads.submit(
              () -> {
                for (SpdkStory.Operation next = left.poll(); next != null; next = left.poll()) {
                  next.run();
                }
                return null;
              }));
    }
    awaitAll(working);
    for (StoryWriter writer : writers) {
      long before = writer.writes();
      Eventually.holds("writes after the last operation", () -> writer.writes() > before + 1);
      writer.end();
    }
    awaitAll(writing);
    story.check();
  }

  /** Reports all failures, because the failure of one thread often causes another one. */
  private static void awaitAll(List<Future<?>> tasks) throws Exception {
    AssertionError failure = new AssertionError("an operation failed");
    for (Future<?> one : tasks) {
      try {
        one.get();
      } catch (ExecutionException e) {
        failure.addSuppressed(e.getCause());
      }
    }
    if (failure.getSuppressed().length > 0) {
      throw failure;
    }
  }

  @Test
  void replicasAndSnapshotsAreEqual() throws Exception {
    tell(SEED, 12, 2, 1, 1);
  }

  @Tag("soak")
  @RepeatedTest(5)
  void replicasAndSnapshotsAreEqualAfterMoreChanges(RepetitionInfo repetition) throws Exception {
    tell(SEED + repetition.getCurrentRepetition(), 40, 8, 3, 3);
  }

  @Tag("soak")
  @Test
  void replicasAndSnapshotsAreEqualAfterManyChanges() throws Exception {
    tell(SEED, 1_000, 200, 50, 50);
  }
}
