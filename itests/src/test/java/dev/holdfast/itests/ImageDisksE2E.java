package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Copies of an image while the disks of three nodes are evicted, taken away, exchanged and filled,
 * below a volume that a client writes and verifies; and while two nodes are down.
 */
@Tag("soak")
class ImageDisksE2E {
  private static final int NODES = 3;
  private static final int WRITTEN_BLOCKS = 1024;
  private static final Duration LONG = Duration.ofMinutes(5);

  @TempDir Path directory;
  private Cluster cluster;
  private ImageOfNodes image;
  private Tickets tickets;

  @Test
  void copiesFollowTheDisksAndStayRight() throws IOException {
    try (Cluster started = Cluster.start(directory.resolve("data"), NODES)) {
      cluster = started;
      tickets = new Tickets(cluster.api(), "api");
      cluster.ok("setting", "set", "backing-image-recovery-wait-interval", "5");
      image = new ImageOfNodes(cluster, "base", directory);
      image.upload(2);
      image.createVolume("vol", 2);
      cluster.ok("volume", "attach", "vol", "--node", "node-1");
      tickets.awaitRedundancy("vol", 2, LONG);
      URI volume = URI.create(cluster.ok("volume", "endpoint", "vol", "--remote").strip());
      // The client expects zeroes where it has not written.
      Command.of("qemu-io", "-f", "raw", "-c", "write -z 0 4M", volume.toString())
          .run()
          .succeeded();
      SteadyWrites writes = new SteadyWrites(WRITTEN_BLOCKS, 22, volume);
      try (writes) {
        for (int node = 1; node <= NODES; node++) {
          evictedDiskLosesItsCopy(node);
          writes.awaitProgress();
        }
        absentDiskKeepsItsCopy();
        writes.awaitProgress();
        exchangedDiskGetsNothing();
        writes.awaitProgress();
        fullDiskIsReported();
        writes.awaitProgress();
      }
      writes.verify();
      image.isContentFrom((long) WRITTEN_BLOCKS * SteadyWrites.BLOCK, volume);
      cluster.ok("volume", "detach", "vol");
      image.haveTheContent();
    }
  }

  /** The only copy stays on the disk that it shall leave until the other nodes have theirs. */
  @Test
  void lastCopyStaysUntilTheNodesThatAreDownHaveTheirs() throws IOException {
    try (Cluster started = Cluster.start(directory.resolve("data"), NODES)) {
      cluster = started;
      image = new ImageOfNodes(cluster, "base", directory);
      image.deliverOnly(1);
      image.upload(1);
      image.scheduleAll();
      cluster.kill(2);
      cluster.kill(3);
      image.keep(2);
      image.evict(1, true);
      cluster.awaitReadiness(2, "Unknown");
      cluster.awaitReadiness(3, "Unknown");
      assertThat(image.copies().isComplete(1)).as("the only copy").isTrue();

      cluster.up(2).succeeded();
      cluster.up(3).succeeded();
      image.awaitAbsence(1);
      image.awaitCopy(2);
      image.awaitCopy(3);
      image.awaitReady(2);
      image.haveTheContent();
    }
  }

  /** The replicas leave the disk too, so that its copy is not in use at the end. */
  private void evictedDiskLosesItsCopy(int node) {
    image.evict(node, true);
    image.awaitAbsence(node);
    image.awaitReady(NODES - 1);
    tickets.awaitRedundancy("vol", 2, LONG);
    image.evict(node, false);
  }

  /** Node 3 was evicted last, so the copies are on nodes 1 and 2. */
  private void absentDiskKeepsItsCopy() throws IOException {
    Path disk = diskOf(2);
    Path away = Files.move(disk, disk.resolveSibling("away"));
    image.awaitCopy(3);
    Files.move(away, disk);
    image.awaitReady(NODES);
    tickets.awaitRedundancy("vol", 2, LONG);
  }

  private void exchangedDiskGetsNothing() throws IOException {
    Path disk = diskOf(2);
    Path away = Files.move(disk, disk.resolveSibling("away"));
    Files.createDirectory(disk);
    Await.until(
        "the copy on the exchanged disk is unknown",
        LONG,
        () -> image.status().findValuesAsText("state").contains("unknown"));
    try (Stream<Path> found = Files.list(disk)) {
      assertThat(found).as("files on the foreign disk").isEmpty();
    }
    Files.delete(disk);
    Files.move(away, disk);
    image.awaitReady(NODES);
    tickets.awaitRedundancy("vol", 2, LONG);
  }

  private void fullDiskIsReported() throws IOException {
    Path disk = mounted();
    try {
      cluster.ok("disk", "add", disk.toString(), "--name", "small", "--node", "node-3");
      image.keep(NODES + 1);
      Await.until("the full disk is reported", LONG, () -> fullDisk().isPresent());
      image.keep(2);
      image.cleanUp(fullDisk().orElseThrow());
      image.awaitReady(NODES);
      cluster.ok("disk", "remove", "small", "--node", "node-3");
    } finally {
      Command.of("umount", "-l", disk.toString()).run();
    }
  }

  /** Returns the disk that reports insufficient space. */
  private Optional<String> fullDisk() {
    return image.status().properties().stream()
        .filter(disk -> disk.getValue().path("state").asText().equals("failed"))
        .filter(disk -> disk.getValue().path("message").asText().contains("space"))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  private Path diskOf(int node) throws IOException {
    try (Stream<Path> disks = Files.list(cluster.data(node).resolve("disks"))) {
      return disks.findFirst().orElseThrow();
    }
  }

  /** Mounts a filesystem that is smaller than the image. */
  private Path mounted() throws IOException {
    assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
    Path disk = Files.createDirectory(directory.resolve("small"));
    Path filesystem = directory.resolve("filesystem");
    Command.of("mke2fs", "-q", "-t", "ext4", "-m", "0", filesystem.toString(), "96M")
        .run()
        .succeeded();
    Command.of("mount", "-o", "loop", filesystem.toString(), disk.toString()).run().succeeded();
    return disk;
  }
}
