package dev.holdfast.engine.sparse.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.IoFlags;
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
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An engine stops while no replica of its volume can be reached and a sweep waits for a write. */
@Timeout(60)
class CloseWithoutReplicasTest {
  private static final long SIZE = 64L << 20;

  @TempDir private Path disks;
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final ReplicaHost far = new ReplicaHost(LocalReplicaDirectory::new, "boot of a");
  private final MemoryNetwork network = new MemoryNetwork(node -> far, executor);
  private final SparseEngine engine =
      new SparseEngine(
          LocalReplicaDirectory::new,
          "boot of here",
          Executors.newCachedThreadPool(),
          Duration.ofMillis(20),
          network);
  private OpenVolume volume;

  @BeforeEach
  void open() throws Exception {
    ReplicaLocation replica = new ReplicaLocation("vol", "r-a", "a", disks.resolve("a"), "vol-a");
    new ReplicaStorage().provision(replica, SIZE);
    volume =
        engine.open(
            new OpenRequest(
                "vol",
                SIZE,
                "here",
                List.of(replica),
                new InMemoryRegister(),
                new RecordingListener(),
                new OpenOptions(Set.of(), false, Duration.ofSeconds(1))));
  }

  @AfterEach
  void stop() {
    executor.shutdown();
  }

  private CompletableFuture<StorageException> write(long position) {
    CompletableFuture<StorageException> result = new CompletableFuture<>();
    volume.device().write(position, ByteBuffer.allocate(4096), IoFlags.NONE, result::complete);
    return result;
  }

  @Test
  void engineStopsAndTheWriteFails() throws Exception {
    assertThat(write(0).get()).isNull();
    network.cutOff("a");
    // The region of the write has no mark yet, so the write waits for a replica that marks it.
    CompletableFuture<StorageException> write = write(32 << 20);
    network.awaitVainAttempts(1);
    Thread sweep = new Thread(engine::sweep);
    sweep.start();
    while (sweep.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }

    CompletableFuture.runAsync(engine::stop, executor).get(30, TimeUnit.SECONDS);

    assertThat(write.get(30, TimeUnit.SECONDS)).isNotNull();
    sweep.join();
  }
}
