package dev.holdfast.engine.sparse.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An engine that stops within a call, as when its bundle is replaced, and the next one. */
@Timeout(60)
class StoppedEngineTest {
  private static final long SIZE = 64L << 20;

  @TempDir private Path disks;
  private final CountDownLatch arrived = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
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

  // The last replica's fence takes until the engine has stopped.
  private ReplicaDirectory directory(Path path, boolean waits) {
    if (waits && path.equals(replicas.get(replicas.size() - 1).directory())) {
      arrived.countDown();
      try {
        goOn.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    return new LocalReplicaDirectory(path);
  }

  @BeforeEach
  void provision() throws StorageException {
    for (int i = 1; i <= 2; i++) {
      replicas.add(new ReplicaLocation("vol", "r-" + i, "node", disks.resolve("d" + i), "vol"));
      next.provisionReplica(replicas.get(i - 1), SIZE);
    }
  }

  private OpenVolume open(SparseEngine engine, List<ReplicaLocation> of) throws StorageException {
    return engine.open(new OpenRequest("vol", SIZE, "node", of, register, new RecordingListener()));
  }

  @Test
  void volumeThatIsOpenedWhileTheEngineStopsIsFreeForTheNextEngine() throws Exception {
    stopsWithin(replicas);
  }

  @Test
  void onlyReplicaThatIsFencedWhileTheEngineStopsIsFreeForTheNextEngine() throws Exception {
    stopsWithin(replicas.subList(1, 2));
  }

  private void stopsWithin(List<ReplicaLocation> of) throws Exception {
    CompletableFuture<Void> opening =
        CompletableFuture.runAsync(
            () -> assertThatThrownBy(() -> open(stopping, of)).isInstanceOf(StorageException.class),
            Executors.newCachedThreadPool());
    arrived.await();
    stopping.stop();
    goOn.countDown();
    AssertionError refused = null;
    try {
      opening.get();
    } catch (ExecutionException e) {
      refused = (AssertionError) e.getCause();
    }
    OpenVolume opened = open(next, of);
    assertThat(opened.replicas()).hasSize(of.size());
    opened.close();
    next.stop();
    assertThat(refused).isNull();
  }
}
