package dev.holdfast.engine.sparse.internal.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A Fence call of another node during the stop of this node's bundle. */
@Timeout(60)
class StoppedSessionsTest {
  private static final String BOOT = "this-boot";

  @TempDir private Path folder;
  private final CountDownLatch arrived = new CountDownLatch(1);
  private final CountDownLatch resume = new CountDownLatch(1);

  private ReplicaDirectory directory(Path path) {
    arrived.countDown();
    try {
      resume.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return new LocalReplicaDirectory(path);
  }

  @Test
  void replicaIsFreeForTheNextBundleWhenItsFenceRunsWhileTheBundleStops() throws Exception {
    try (TwoNodes nodes = new TwoNodes(folder, true, new ReplicaHost(this::directory, BOOT))) {
      ReplicaLocation replica = nodes.replica("r-1", 64 << 20);
      CompletableFuture<Void> fencing =
          CompletableFuture.runAsync(() -> assertRefused(nodes, replica));
      arrived.await();
      nodes.sessions.stop();
      resume.countDown();
      boolean refused = fencing.handle((done, failure) -> failure == null).join();
      ReplicaSession next =
          new ReplicaHost(LocalReplicaDirectory::new, BOOT)
              .fence(replica, new Token(1, 2), by -> {});
      next.close();
      assertThat(refused).as("the fence during the stop is refused").isTrue();
    }
  }

  // After UNREACHABLE the engine retries, and reaches the next bundle.
  private static void assertRefused(TwoNodes nodes, ReplicaLocation replica) {
    assertThatThrownBy(
            () ->
                nodes.links.connect(replica, new Token(1, 1), Duration.ofSeconds(20), cause -> {}))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
  }
}
