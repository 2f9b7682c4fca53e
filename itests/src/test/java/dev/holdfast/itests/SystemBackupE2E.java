package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster is saved in a directory, and restored by a node with an empty store. */
class SystemBackupE2E {
  private static final String SETTING = "replica-soft-anti-affinity";

  private static final Duration LIMIT = Duration.ofMinutes(1);

  @TempDir private Path directory;

  @Test
  void nodeWithEmptyStoreRestoresTheClusterWithTheDataOfItsVolumes() throws IOException {
    Path target = Files.createDirectory(directory.resolve("target"));
    Path content = directory.resolve("content");
    try (RunningNode node = RunningNode.start(directory.resolve("node"))) {
      node.ok("backup", "add-target", "file://" + target);
      URI uri = node.volume("data", "32Mi", 1);
      Command.of("qemu-io", "-f", "raw", uri.toString(), "-c", "write -P 23 3M 5M", "-c", "flush")
          .run()
          .succeeded();
      Command.of("qemu-img", "convert", "-O", "raw", uri.toString(), content.toString())
          .run()
          .succeeded();
      node.ok("setting", "set", SETTING, "true");
      node.ok(
          "recurring-job",
          "create",
          "nightly",
          "--task",
          "backup",
          "--cron",
          "0 3 * * *",
          "--retain",
          "7");
      node.ok("recurring-job", "add", "nightly", "data");
      assertThat(node.ok("system-backup", "create", "weekly", "--volume-backups", "if-not-present"))
          .contains("is ready", "1 volumes with a backup");
    }
    try (RunningNode other = RunningNode.start(directory.resolve("other"))) {
      other.ok("backup", "add-target", "file://" + target);
      assertThat(other.ok("system-backup", "restore", "weekly")).contains("Volume", "Setting");
      Command.of(
              "qemu-img",
              "compare",
              "-f",
              "raw",
              "-F",
              "raw",
              other.attach("data").toString(),
              content.toString())
          .run()
          .succeeded();
      assertThat(other.ok("setting", "get", SETTING)).contains("true");
      assertThat(other.ok("recurring-job", "get", "nightly")).contains("data");
      other.ok("backup", "sync");
      Await.until(
          "the system backup is shown",
          LIMIT,
          () -> other.ok("system-backup", "list").contains("weekly"));
    }
  }
}
