package dev.holdfast.engine.sparse.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An engine that stops during a call, as at a replacement of its bundle, and the next engine. */
@Timeout(60)
class StoppedEngineTest {
  private static final long SIZE = 64L << 20;

  @TempDir private Path disks;
  private final CountDownLatch arrived = new CountDownLatch(1);
  private final CountDownLatch resume = new CountDownLatch(1);
  private final InMemoryRegister register = new InMemoryRegister();
  private final List<ReplicaLocation> replicas = new ArrayList<>();
  private final SparseEngine stopping = engine(true);
  private final SparseEngine next = engine(false);

  private SparseEngine engine(boolean waits) {
    return new SparseEngine(
        path -> directory(path, waits),
        "boot",
        Executors.newCachedThreadPool(),
        Duration.ofMillis(20),
        SparseEngine::noWay);
  }

  // The fence of the last replica waits until the engine has stopped.
  private ReplicaDirectory directory(Path path, boolean waits) {
    if (waits && path.equals(replicas.get(replicas.size() - 1).directory())) {
      awaitStop();
    }
    return new LocalReplicaDirectory(path);
  }

  private void awaitStop() {
    arrived.countDown();
    try {
      resume.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A register that waits with the first epoch of an opening until the engine has stopped. */
  private final class SlowRegister implements MembershipRegister {
    @Override
    public Membership read() throws StorageException {
      return register.read();
    }

    @Override
    public boolean compareAndSet(Membership expected, Membership next) throws StorageException {
      if (next.epochGeneration() == next.generation()) {
        awaitStop();
      }
      return register.compareAndSet(expected, next);
    }
  }

  @BeforeEach
  void provision() throws StorageException {
    for (int i = 1; i <= 2; i++) {
      replicas.add(new ReplicaLocation("vol", "r-" + i, "node", disks.resolve("d" + i), "vol"));
      next.provisionReplica(replicas.get(i - 1), SIZE);
    }
  }

  private static OpenVolume open(
      SparseEngine engine, List<ReplicaLocation> of, MembershipRegister register)
      throws StorageException {
    return engine.open(new OpenRequest("vol", SIZE, "node", of, register, new RecordingListener()));
  }

  @Test
  void volumeThatIsOpenedWhileTheEngineStopsIsFreeForTheNextEngine() throws Exception {
    stopsWithin(stopping, replicas, register);
  }

  @Test
  void onlyReplicaThatIsFencedWhileTheEngineStopsIsFreeForTheNextEngine() throws Exception {
    stopsWithin(stopping, replicas.subList(1, 2), register);
  }

  /** The executor of the engine rejects tasks when the volume is closed again. */
  @Test
  void onlyReplicaOfAVolumeThatIsOpenWhenTheEngineHasStoppedIsFreeForTheNextEngine()
      throws Exception {
    stopsWithin(engine(false), replicas.subList(1, 2), new SlowRegister());
  }

  /** A register that refuses an operation after the engine has stopped. */
  private final class RefusingRegister implements MembershipRegister {
    @Override
    public Membership read() throws StorageException {
      return register.read();
    }

    @Override
    public boolean compareAndSet(Membership expected, Membership next) throws StorageException {
      if (!next.pendingOperation().isEmpty()) {
        awaitStop();
        assertThat(register.compareAndSet(expected, claimedByAnother(expected))).isTrue();
        return false;
      }
      return register.compareAndSet(expected, next);
    }

    private Membership claimedByAnother(Membership before) {
      return new Membership(
          before.generation() + 1,
          "other-node",
          before.epochGeneration(),
          before.epochNumber(),
          before.members(),
          before.sizeBytes(),
          before.pendingOperation(),
          before.history());
    }
  }

  @Test
  void snapshotThatTheRegisterRefusesAfterTheEngineStoppedFailsAsRefused() throws Exception {
    SparseEngine engine = engine(false);
    OpenVolume volume = open(engine, replicas, new RefusingRegister());
    CompletableFuture<Void> snapshot =
        CompletableFuture.runAsync(
            () ->
                assertThatThrownBy(
                        () ->
                            ((SnapshotVolume) volume)
                                .createSnapshot(
                                    new SnapshotRequest("s", true, Instant.EPOCH, Map.of())))
                    .isInstanceOfSatisfying(
                        StorageException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN)),
            Executors.newCachedThreadPool());
    arrived.await();
    engine.stop();
    resume.countDown();
    snapshot.get();
  }

  private void stopsWithin(SparseEngine engine, List<ReplicaLocation> of, MembershipRegister asked)
      throws Exception {
    CompletableFuture<Void> opening =
        CompletableFuture.runAsync(
            () ->
                assertThatThrownBy(() -> open(engine, of, asked))
                    .isInstanceOf(StorageException.class),
            Executors.newCachedThreadPool());
    arrived.await();
    engine.stop();
    resume.countDown();
    AssertionError refused = null;
    try {
      opening.get();
    } catch (ExecutionException e) {
      refused = (AssertionError) e.getCause();
    }
    OpenVolume opened = open(next, of, register);
    assertThat(opened.replicas()).hasSize(of.size());
    opened.close();
    next.stop();
    assertThat(refused).isNull();
  }
}
