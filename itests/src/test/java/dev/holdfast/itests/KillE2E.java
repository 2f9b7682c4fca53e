package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** kill -9 of the container under writes: nothing acknowledged is lost, the replicas agree. */
class KillE2E {
  private static final int BLOCKS = 4096;
  private static final int KILLS =
      Integer.getInteger("holdfast.kills", Boolean.getBoolean("holdfast.soak") ? 50 : 2);

  @TempDir Path data;

  @Test
  void everyAcknowledgedWriteIsOnAllReplicas() throws IOException {
    VerifiedWrites writes = new VerifiedWrites(BLOCKS, 42);
    try (RunningNode node = RunningNode.of(data).withJava("")) {
      node.up().succeeded();
      URI uri = node.volume("killed", "16Mi", 3);
      for (int kill = 1; kill <= KILLS; kill++) {
        killUnderWrites(node, uri, writes);
        node.up().succeeded();
        awaitService(uri);
        writes.verify(uri);
      }
      node.ok("volume", "detach", "killed");
      node.replicasAgree("killed", 3);
    }
  }

  private static void killUnderWrites(RunningNode node, URI uri, VerifiedWrites writes) {
    long wanted = writes.acknowledgements() + 2000;
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(
            () -> {
              try {
                writes.writeUntilDisconnected(uri);
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    Await.until(
        "writes are acknowledged",
        Duration.ofSeconds(60),
        () -> writes.acknowledgements() >= wanted || writer.isDone());
    node.kill();
    writer.join();
    assertThat(writes.acknowledgements()).isGreaterThanOrEqualTo(wanted);
  }

  /** Asks the endpoint itself, because the store may show the state before the kill. */
  private static void awaitService(URI uri) {
    Await.until("the volume is served again", Duration.ofSeconds(60), () -> isServed(uri));
  }

  private static boolean isServed(URI uri) {
    try (NbdConnection connection = new NbdConnection(uri)) {
      return connection.size() > 0;
    } catch (IOException e) {
      return false;
    }
  }
}
