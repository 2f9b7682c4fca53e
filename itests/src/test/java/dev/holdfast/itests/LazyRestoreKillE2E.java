package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * kill -9 of the container while a client writes to a volume that is restored lazily: each block
 * holds its last acknowledged write, or what the backup has.
 */
@Tag("soak")
class LazyRestoreKillE2E {
  private static final int BLOCKS = 65_536;
  private static final int KILLS = Integer.getInteger("holdfast.kills", 3);

  /** Few, so that the restore is not complete. */
  private static final int WRITES = 20;

  private static final Duration LIMIT = Duration.ofMinutes(3);

  @TempDir private Path directory;

  private static boolean isRestored(RunningNode node) {
    return node.api()
        .get("volumes", "restored")
        .at("/status/restore/state")
        .asText()
        .equals("completed");
  }

  @Test
  void noBlockIsWrongAfterKillsInTheMiddleOfALazyRestore() throws IOException {
    Path target = Files.createDirectory(directory.resolve("target"));
    VerifiedWrites writes = new VerifiedWrites(BLOCKS, 7);
    try (RunningNode node = RunningNode.start(directory.resolve("node"))) {
      node.ok("backup", "add-target", "file://" + target);
      URI source = node.volume("data", "256Mi", 1);
      Kills.underWrites(node, source, writes, 12_000);
      node.up().succeeded();
      Kills.awaitService(source);
      writes.verify(source);
      node.ok("backup", "create", "data", "--name", "first");

      node.ok("volume", "create", "restored", "--backup", "first", "--lazy");
      URI uri = node.attach("restored");
      int unfinished = 0;
      for (int kill = 1; kill <= KILLS; kill++) {
        unfinished += isRestored(node) ? 0 : 1;
        Kills.underWrites(node, uri, writes, WRITES);
        node.up().succeeded();
        Kills.awaitService(uri);
      }
      assertThat(unfinished).as("kills while the restore was not complete").isPositive();
      writes.verify(uri);
      Await.until("the restore is complete", LIMIT, () -> isRestored(node));
      writes.verify(uri);
    }
  }
}
