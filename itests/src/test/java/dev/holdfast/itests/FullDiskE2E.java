package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk, or a node's whole data directory, that is full below volumes in use. */
class FullDiskE2E {
  private static final int ENOSPC = 28;
  private static final int CHUNK = 1 << 20;

  @TempDir Path directory;

  @Test
  void fullDiskGivesNoSpaceAndRecovers() throws IOException {
    Path disk = mounted("96M");
    try (RunningNode node = RunningNode.start(directory.resolve("data"), "--disks", "0")) {
      awaitRegistered(node);
      String path = disk.resolve("holdfast").toString();
      assertThat(node.run("disk", "add", path, "--name", "small").failed().err())
          .contains(path + " does not exist", "--create");
      assertThat(node.ok("disk", "list")).doesNotContain("small");
      node.ok("disk", "add", path, "--name", "small", "--create");
      Path ballast = disk.resolve("ballast");
      URI uri = node.volume("full", "64Mi", 1);
      // Other files fill the space that the volume was promised.
      FullDisk.fill(ballast);

      long refused = firstRefused(uri);
      Files.delete(ballast);

      writesAgain(node, "full", refused);
    } finally {
      Command.of("umount", "-l", disk.toString()).run();
    }
  }

  /** Waits for the Node: `up` ends when the API answers, which may be before. */
  private static void awaitRegistered(RunningNode node) {
    Await.until(
        "the node is registered",
        Duration.ofSeconds(60),
        () -> node.ok("node", "list").contains("node-1"));
  }

  private Path mounted(String size) throws IOException {
    assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
    return FullDisk.mount(directory, size);
  }

  @Tag("soak")
  @Test
  void volumesOfFullDataDirectoryAreDetachedAndDeleted() throws IOException {
    Path disk = mounted("400M");
    Path ballast = disk.resolve("ballast");
    try (RunningNode node = RunningNode.start(disk.resolve("data"))) {
      for (String name : List.of("kept", "before", "after")) {
        URI unused = node.volume(name, "16Mi", 1);
      }
      FullDisk.fill(ballast);
      assertThat(firstRefused(node.endpoint("kept"))).isZero();
      detachAndDelete(node, "before");

      node.ok("down");
      node.up().succeeded();
      awaitTrueState(node, "after");

      node.kill();
      node.up().succeeded();
      awaitTrueState(node, "after");
      detachAndDelete(node, "after");
      assertThat(node.ok("volume", "list")).contains("kept").doesNotContain("before", "after");

      node.ok("down");
      Files.delete(disk.resolve("data/start.reserve"));
      FullDisk.fill(disk.resolve("more-ballast"));
      assertThat(node.up().failed().err()).contains("no space is left", "free at least 1 MiB");
      Files.delete(ballast);
      node.up().succeeded();
      writesAgain(node, "kept", 0);
    } finally {
      Command.of("umount", "-l", disk.toString()).run();
    }
  }

  private static void detachAndDelete(RunningNode node, String volume) {
    node.ok("volume", "detach", volume);
    node.ok("volume", "delete", volume, "--grace", "0s");
  }

  /** Waits until the volume is served at its endpoint, or until its status reports why not. */
  private static void awaitTrueState(RunningNode node, String volume) {
    Await.until(
        volume + " is served or says why not",
        Duration.ofSeconds(60),
        () -> {
          Command.Result endpoint = node.run("volume", "endpoint", volume, "--remote");
          if (endpoint.exitCode() != 0) {
            return node.ok("volume", "why", volume).contains("No space left on device");
          }
          try (NbdConnection connection = new NbdConnection(URI.create(endpoint.out().strip()))) {
            return connection.size() == 16 << 20;
          } catch (ConnectException notListening) {
            return false;
          }
        });
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

  private static void writesAgain(RunningNode node, String volume, long offset) throws IOException {
    byte[] data = new byte[CHUNK];
    Arrays.fill(data, (byte) 2);
    Await.until(
        "the volume takes writes again",
        Duration.ofSeconds(60),
        () -> {
          if (node.run("volume", "endpoint", volume).exitCode() != 0) {
            return false;
          }
          try (NbdConnection connection = new NbdConnection(node.endpoint(volume))) {
            return connection.write(offset, data) == 0;
          }
        });
    try (NbdConnection connection = new NbdConnection(node.endpoint(volume))) {
      assertThat(connection.read(offset, CHUNK)).isEqualTo(data);
    }
  }
}
