package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.backuptarget.testkit.S3Server;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A recurring job makes backups in the bucket of a real S3 server, whose credentials are a secret
 * of the node. A volume that is restored from the bucket is equal.
 */
class ScheduledBackupsE2E {
  /** The job runs at each full minute. */
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private static final String JOB = "each-minute";

  @TempDir private Path directory;
  private S3Server server;
  private RunningNode node;

  @BeforeEach
  void start() throws IOException, InterruptedException {
    server = S3Server.start(Files.createDirectory(directory.resolve("s3")));
    server.bucket("backups");
    node = RunningNode.start(directory.resolve("node"));
    for (Map.Entry<String, byte[]> value : server.credentials().entrySet()) {
      Path file = Files.write(directory.resolve(value.getKey()), value.getValue());
      node.ok("secret", "set", "bucket", value.getKey(), "--from-file", file.toString());
    }
  }

  @AfterEach
  void stop() {
    node.close();
    server.close();
  }

  private Optional<JsonNode> completedBackup() {
    return node.api().items("backups").stream()
        .filter(backup -> backup.at("/status/state").asText().equals("Completed"))
        .findFirst();
  }

  private String log() throws IOException {
    return Files.readString(directory.resolve("node/log/holdfast.log"));
  }

  @Test
  void recurringJobMakesBackupsInBucket() throws IOException {
    node.ok(
        "backup", "add-target", "s3://backups@" + S3Server.REGION + "/node/", "--secret", "bucket");
    URI uri = node.volume("data", "16Mi", 1);
    Command.of("qemu-io", "-f", "raw", uri.toString(), "-c", "write -P 23 3M 5M", "-c", "flush")
        .run()
        .succeeded();
    node.ok(
        "recurring-job", "create", JOB, "--task", "backup", "--cron", "* * * * *", "--retain", "2");
    node.ok("recurring-job", "add", JOB, "data");

    Await.until("the job made a backup", LIMIT, () -> completedBackup().isPresent());
    String backup = completedBackup().orElseThrow().at("/metadata/name").asText();
    node.ok("recurring-job", "suspend", JOB);
    node.ok("volume", "create", "restored", "--backup", backup, "--wait");
    Command.of(
            "qemu-img",
            "compare",
            "-f",
            "raw",
            "-F",
            "raw",
            uri.toString(),
            node.attach("restored").toString())
        .run()
        .succeeded();
    assertThat(log()).doesNotContain(S3Server.SECRET);
    assertThat(node.ok("backup", "targets") + node.ok("secret", "list"))
        .doesNotContain(S3Server.SECRET);
  }
}
