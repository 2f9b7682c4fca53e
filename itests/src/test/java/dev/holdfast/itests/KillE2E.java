package dev.holdfast.itests;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
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
        Kills.underWrites(node, uri, writes, 2000);
        node.up().succeeded();
        Kills.awaitService(uri);
        writes.verify(uri);
      }
      node.ok("volume", "detach", "killed");
      node.replicasAgree("killed", 3);
    }
  }
}
