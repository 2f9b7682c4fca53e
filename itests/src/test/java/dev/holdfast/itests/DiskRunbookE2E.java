package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The runbook for a disk that is not there when its node starts. */
@Tag("soak")
class DiskRunbookE2E {
  private static final Path DISTRIBUTION =
      Path.of(System.getProperty("holdfast.distribution")).normalize();
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final int BYTES = 64 << 20;

  @TempDir private Path directory;

  @Test
  void replicasOfALostDiskAreReplaced() throws Exception {
    Path data = directory.resolve("data");
    byte[] bytes = new byte[BYTES];
    new Random(13).nextBytes(bytes);
    Path content = Files.write(directory.resolve("content"), bytes);
    try (RunningNode node = RunningNode.start(data)) {
      node.ok("volume", "create", "films", "--size", "64Mi", "--replicas", "2");
      node.ok("volume", "attach", "films");
      copy(content.toString(), node.ok("volume", "endpoint", "films").strip());
      String disk = node.api().items("replicas").get(0).at("/spec/diskID").asText();

      node.kill();
      Files.move(data.resolve("disks").resolve(disk), directory.resolve("taken-out"));
      node.up().succeeded();
      Await.until("the volume is degraded", LIMIT, () -> hasRobustness(node, "degraded"));
      Runbook runbook =
          new Runbook(
              "disk-lost.md",
              DISTRIBUTION,
              directory.resolve("programs"),
              Map.of(
                  "DIR",
                  data.toString(),
                  "NODE",
                  "node-1",
                  "DISK",
                  disk,
                  "NEW",
                  directory.resolve("replacement").toString()));
      assertThat(String.join("\n", runbook.play("Symptom"))).contains(disk, "films");
      runbook.play("Steps");

      Await.until("the volume is healthy", LIMIT, () -> hasRobustness(node, "healthy"));
      assertThat(String.join("\n", runbook.play("Sign of success")))
          .contains("replacement", "films")
          .doesNotContain(disk + " ");
      Path copied = directory.resolve("copied");
      copy(node.ok("volume", "endpoint", "films").strip(), copied.toString());
      assertThat(copied).hasSameBinaryContentAs(content);
    }
  }

  private static boolean hasRobustness(RunningNode node, String robustness) throws IOException {
    return node.api().get("volumes", "films").at("/status/robustness").asText().equals(robustness);
  }

  private static void copy(String from, String to) throws IOException {
    Command.of("nbdcopy", "--flush", from, to).run().succeeded();
  }
}
