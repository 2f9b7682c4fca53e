package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The node with the store is lost with all its files, and restored on the same addresses. */
class ClusterRestoreE2E {
  private static final Path DISTRIBUTION =
      Path.of(System.getProperty("holdfast.distribution")).normalize();

  @TempDir private Path directory;

  @Test
  void restoredNodeServesTheClusterAgain() throws Exception {
    Path data = directory.resolve("first/data");
    Runbook runbook =
        new Runbook(
            "store-lost.md",
            DISTRIBUTION,
            directory.resolve("programs"),
            Map.of(
                "DIR",
                data.toString(),
                "FILE",
                directory.resolve("backup").toString(),
                "NODE",
                "node-2",
                "RESTORED",
                "node-1"));
    try (RunningNode first = RunningNode.start(data, "--disks", "1");
        RunningNode second = RunningNode.of(directory.resolve("second/data"))) {
      second
          .up(
              "--disks",
              "1",
              "--join",
              "127.0.0.1:" + first.ports().api(),
              "--token",
              first.ok("node", "token"),
              "--name",
              "node-2")
          .succeeded();
      first.ok("volume", "create", "films", "--size", "64Mi", "--replicas", "2");
      first.ok("volume", "attach", "films", "--node", "node-2");
      byte[] bytes = new byte[64 << 20];
      new Random(7).nextBytes(bytes);
      Path content = Files.write(directory.resolve("content"), bytes);
      Command.of("nbdcopy", "--flush", content.toString(), second.ok("volume", "endpoint", "films"))
          .run()
          .succeeded();
      runbook.play("Prepare");
      assertThat(
              second.run("cluster", "backup", directory.resolve("other").toString()).failed().err())
          .contains("run the command on the node that has the store");

      first.kill();
      Command.of("rm", "-rf", data.toString()).run().succeeded();
      PreparedInstance.into(data);
      runbook.play("Steps");

      assertThat(String.join("\n", runbook.play("Sign of success"))).contains("node-2", "films");
      Path copied = directory.resolve("copied");
      Command.of("nbdcopy", second.ok("volume", "endpoint", "films"), copied.toString())
          .run()
          .succeeded();
      assertThat(copied).hasSameBinaryContentAs(content);
    }
  }
}
