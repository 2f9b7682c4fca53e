package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.error.StorageException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A share whose volume is on a disk that other files fill. The client's synced writes fail for lack
 * of space or wait; none that was acknowledged is lost, and writes succeed when space is freed.
 */
@Tag("soak")
class ShareFullDiskE2E {
  private static final Duration LONG = Duration.ofMinutes(3);
  private static final String NUMBERS = "/run/files/numbers";

  @TempDir Path directory;
  private Path disk;

  /** Ends what a failed test left. */
  @AfterEach
  void removeRemains() {
    ShareRemains.remove(directory.resolve("data"));
    Command.of("umount", "-l", disk.toString()).run();
  }

  @Test
  void clientContinuesWhenTheFullDiskHasSpaceAgain() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "sharing needs root");
    disk = FullDisk.mount(directory, "160M");
    try (RunningNode node = RunningNode.start(directory.resolve("data"), "--disks", "0");
        ShareClient client = ShareClient.start()) {
      node.ok("disk", "add", disk.resolve("d").toString(), "--name", "small", "--create");
      node.ok(
          "volume", "create", "files", "--size", "96Mi", "--replicas", "1", "--access-mode", "rwx");
      node.ok("share", "files", "--allow", "127.0.0.0/8");
      URI endpoint = SharesE2E.endpoint(node);
      client.mount(endpoint.getPort(), "files", "/run/files");
      client.write(NUMBERS);
      client.awaitProgress();

      Path ballast = disk.resolve("ballast");
      FullDisk.fill(ballast);
      assertThat(client.fillAndSync("/run/files/large", 64))
          .as("a write for which the disk has no space")
          .matches("(?s).*(No space left on device|Read-only file system|still waits).*");
      Files.delete(ballast);

      Await.until("synced writes succeed again", LONG, () -> writes(client));
      client.sh("rm -f /run/files/large");
      long written = client.stop();
      assertThat(client.sh("cat " + NUMBERS).lines())
          .as("every acknowledged number is there")
          .startsWith(
              LongStream.rangeClosed(1, written).mapToObj(Long::toString).toArray(String[]::new));
      client.sh("umount /run/files");
      Await.until(
          "the client is gone", LONG, () -> node.run("share", "stop", "files").exitCode() == 0);
    }
  }

  private static boolean writes(ShareClient client) throws StorageException {
    return client.fillAndSync("/run/files/again", 1).contains("1+0 records out");
  }
}
