package dev.holdfast.engine.sparse.internal.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;
import dev.holdfast.engine.OpenOptions;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A link that is lost after its engine stopped, while an opening still has it. */
@Timeout(60)
class StoppedLinkTest {
  private static final long SIZE = 64L << 20;

  @TempDir private Path disks;
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final CountDownLatch arrived = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final InMemoryRegister register = new InMemoryRegister();
  private final ReplicaHost far = new ReplicaHost(LocalReplicaDirectory::new, "boot of a");
  private final MemoryNetwork network = new MemoryNetwork(node -> far, executor);
  private final List<ReplicaLocation> replicas = new ArrayList<>();
  private final ExecutorService work = Executors.newCachedThreadPool();
  private final SparseEngine engine = engine(work);

  private SparseEngine engine(ExecutorService on) {
    return new SparseEngine(
        LocalReplicaDirectory::new, "boot of here", on, Duration.ofMillis(20), network);
  }

  @BeforeEach
  void provision() throws Exception {
    for (String node : List.of("here", "a")) {
      ReplicaLocation replica =
          new ReplicaLocation("vol", "r-" + node, node, disks.resolve(node), "vol-" + node);
      new ReplicaStorage().provision(replica, SIZE);
      replicas.add(replica);
    }
  }

  @AfterEach
  void stop() {
    executor.shutdown();
  }

  /** Records the first epoch of an opening only after the engine has stopped. */
  private final class SlowRegister implements MembershipRegister {
    @Override
    public Membership read() throws StorageException {
      return register.read();
    }

    @Override
    public boolean compareAndSet(Membership expected, Membership next) throws StorageException {
      if (next.epochGeneration() == next.generation()) {
        arrived.countDown();
        try {
          goOn.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      return register.compareAndSet(expected, next);
    }
  }

  private OpenVolume open(SparseEngine by, MembershipRegister asked) throws StorageException {
    return by.open(
        new OpenRequest(
            "vol",
            SIZE,
            "here",
            replicas,
            asked,
            new RecordingListener(),
            new OpenOptions(Set.of(), false, Duration.ofSeconds(5))));
  }

  @Test
  void linkLostAfterTheEngineStoppedIsMadeAgainUntilTheOpeningHasEnded() throws Exception {
    CompletableFuture<Void> opening =
        CompletableFuture.runAsync(
            () ->
                assertThatThrownBy(() -> open(engine, new SlowRegister()))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("this version of the engine stopped"),
            executor);
    arrived.await();
    engine.stop();

    assertThatCode(() -> network.hangUp("a")).doesNotThrowAnyException();

    goOn.countDown();
    opening.get();
    assertThat(work.isShutdown()).isTrue();
    SparseEngine next = engine(Executors.newCachedThreadPool());
    OpenVolume opened = open(next, register);
    assertThat(opened.replicas()).hasSize(2);
    opened.close();
    next.stop();
  }
}
