package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Backups of an image and of a volume on it. A node with an empty store restores the volume, and
 * with it the image, without a declaration of the image.
 */
class ImageBackupsE2E {
  private static final int MEBIBYTE = 1 << 20;

  @TempDir private Path directory;

  private Path qcow2;
  private Path target;

  /** Makes an image of 32 MiB with 8 MiB of data, and a directory for backups. */
  private void prepare() throws IOException {
    Path raw = directory.resolve("image.raw");
    qcow2 = directory.resolve("image.qcow2");
    target = Files.createDirectory(directory.resolve("target"));
    byte[] content = new byte[8 * MEBIBYTE];
    new Random(22).nextBytes(content);
    Files.write(raw, content);
    run("qemu-img", "resize", "-q", "-f", "raw", raw.toString(), "32M");
    run("qemu-img", "convert", "-O", "qcow2", raw.toString(), qcow2.toString());
  }

  private static void run(String... words) {
    Command.of(words).run().succeeded();
  }

  private void addTarget(RunningNode node) {
    node.ok("backup", "add-target", "file://" + target);
  }

  private long blocks(String folder) throws IOException {
    Path place = target.resolve("backupstore").resolve(folder);
    if (!Files.isDirectory(place)) {
      return 0; // a deletion removes empty folders
    }
    try (Stream<Path> files = Files.walk(place)) {
      return files.filter(file -> file.toString().endsWith(".blk")).count();
    }
  }

  /** Two nodes after each other: {@code ImageBackupsTest} plays both clusters in each run. */
  @Tag("soak")
  @Test
  void volumeOnAnImageIsRestoredByAClusterThatNeverHadTheImage() throws IOException {
    prepare();
    Path content = directory.resolve("content.raw");
    try (RunningNode node = RunningNode.start(directory.resolve("node"))) {
      addTarget(node);
      node.ok("image", "upload", "base", qcow2.toString());
      node.ok("volume", "create", "data", "--size", "64Mi", "--image", "base");
      URI uri = node.attach("data");
      run(
          "qemu-io",
          "-f",
          "raw",
          "-c",
          "write -P 7 40M 1M",
          "-c",
          "write -z 0 4M",
          "-c",
          "flush",
          uri.toString());
      run("qemu-img", "convert", "-f", "raw", "-O", "raw", uri.toString(), content.toString());
      node.ok("backup", "create", "data", "--name", "first");
      assertThat(blocks("volumes")).as("one of data, and one of zeroes").isEqualTo(2);
      assertThat(node.ok("image", "backup", "base")).contains("is complete");
      assertThat(blocks("backing-images")).isEqualTo(4);
      assertThat(node.ok("image", "backups")).contains("base", "completed");
    }
    try (RunningNode other = RunningNode.start(directory.resolve("other"))) {
      addTarget(other);
      other.ok("backup", "sync");
      other.ok("volume", "create", "restored", "--backup", "first", "--wait", "--timeout", "300");
      URI uri = other.attach("restored");
      run("qemu-img", "compare", "-f", "raw", "-F", "raw", uri.toString(), content.toString());
      assertThat(other.ok("image", "get", "base")).contains("restore", "ready");
      assertThat(other.run("image", "delete", "base").err()).contains("restored");
      other.ok("image", "create", "again", "--from-backup", "base");
      other.ok("image", "delete", "again");
      other.ok("image", "delete-backup", "base");
      assertThat(blocks("backing-images")).isZero();
    }
  }
}
