package dev.holdfast.itests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node is killed while its volume is on the screen of another node's page: {@code
 * ui/e2e/loss.mjs} has the steps.
 */
@Tag("soak")
class PageNodeLossE2E {
  private static final int NODES = 3;
  private static final String CONTENT = "24M";

  @TempDir Path directory;

  @Test
  @Timeout(value = 900, unit = TimeUnit.SECONDS)
  void pageNamesTheReasonThenTheRebuildThenHealth() throws IOException {
    try (Cluster cluster = Cluster.start(directory.resolve("cluster"), NODES)) {
      // Slow enough that the page reads the progress more than once.
      cluster.ok("setting", "set", "replica-rebuild-bytes-per-second", "1Mi");
      cluster.ok("volume", "create", "films", "--size", "64Mi", "--replicas", "3");
      cluster.ok("volume", "attach", "films", "--node", "node-1");
      new Tickets(cluster.api(), "api").awaitRedundancy("films", NODES, Duration.ofMinutes(2));
      String endpoint = cluster.ok("volume", "endpoint", "films", "--remote").strip();
      Path kill =
          program(
              "kill-node",
              "kill -KILL %d\nqemu-io -f raw -c 'write -P 7 0 %s' -c flush '%s'"
                  .formatted(cluster.pid(NODES), CONTENT, endpoint));
      Path startAgain = program("start-node", cluster.upCommand(NODES));
      PageStories.play(
          "loss",
          cluster.ok("page").lines().findFirst().orElseThrow(),
          kill.toString(),
          startAgain.toString());
      Command.of("qemu-io", "-r", "-f", "raw", "-c", "read -P 7 0 " + CONTENT, endpoint)
          .run()
          .succeeded();
    }
  }

  private Path program(String name, String commands) throws IOException {
    Path file =
        Files.writeString(directory.resolve(name), "#!/bin/bash\nset -eu\n" + commands + "\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }
}
