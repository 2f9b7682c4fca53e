package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that fills up below a volume: the client is told, and it goes on when there is room. */
class FullDiskE2E {
  private static final int ENOSPC = 28;
  private static final int CHUNK = 1 << 20;

  @TempDir Path directory;

  @Test
  void fullDiskGivesNoSpaceAndRecovers() throws IOException {
    assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
    Path disk = Files.createDirectory(directory.resolve("small"));
    Path image = directory.resolve("image");
    Command.of("mke2fs", "-q", "-t", "ext4", "-m", "0", image.toString(), "96M").run().succeeded();
    Command.of("mount", "-o", "loop", image.toString(), disk.toString()).run().succeeded();
    try (RunningNode node = RunningNode.start(directory.resolve("data"), "--disks", "0")) {
      String path = disk.resolve("holdfast").toString();
      assertThat(node.run("disk", "add", path, "--name", "small").failed().err())
          .contains(path + " does not exist", "--create");
      assertThat(node.ok("disk", "list")).doesNotContain("small");
      node.ok("disk", "add", path, "--name", "small", "--create");
      Path ballast = disk.resolve("ballast");
      URI uri = node.volume("full", "64Mi", 1);
      // Whatever else is on the disk takes the room that the volume was promised.
      fillUp(ballast);

      long refused = firstRefused(uri);
      Files.delete(ballast);

      writesAgain(node, refused);
    } finally {
      Command.of("umount", "-l", disk.toString()).run();
    }
  }

  private static void fillUp(Path ballast) {
    try (var out = Files.newOutputStream(ballast)) {
      byte[] data = new byte[CHUNK];
      while (true) {
        out.write(data);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
  }

  private static long firstRefused(URI uri) throws IOException {
    byte[] data = new byte[CHUNK];
    Arrays.fill(data, (byte) 1);
    try (NbdConnection connection = new NbdConnection(uri)) {
      for (long offset = 0; offset < connection.size(); offset += CHUNK) {
        int error = connection.write(offset, data);
        if (error != 0) {
          assertThat(error).isEqualTo(ENOSPC);
          return offset;
        }
      }
    }
    throw new AssertionError("everything found room on a full disk");
  }

  private static void writesAgain(RunningNode node, long offset) throws IOException {
    byte[] data = new byte[CHUNK];
    Arrays.fill(data, (byte) 2);
    Await.until(
        "the volume takes writes again",
        Duration.ofSeconds(60),
        () -> {
          if (node.run("volume", "endpoint", "full").exitCode() != 0) {
            return false;
          }
          try (NbdConnection connection = new NbdConnection(node.endpoint("full"))) {
            return connection.write(offset, data) == 0;
          }
        });
    try (NbdConnection connection = new NbdConnection(node.endpoint("full"))) {
      assertThat(connection.read(offset, CHUNK)).isEqualTo(data);
    }
  }
}
