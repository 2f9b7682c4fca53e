package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** kill -9 of a container under writes. */
final class Kills {
  private Kills() {}

  /** Kills a node once so many more writes were acknowledged. */
  static void underWrites(RunningNode node, URI uri, VerifiedWrites writes, int more) {
    long wanted = writes.acknowledgements() + more;
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(
            () -> {
              try {
                writes.writeUntilDisconnected(uri);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
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

  /** Connects to the endpoint itself, because the store may show the state before the kill. */
  static void awaitService(URI uri) {
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
