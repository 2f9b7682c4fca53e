package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.csi.v1.Csi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rules that csi-sanity does not check: mounts are real, bytes are kept, and crashes do no harm.
 * The tests share one node, and each test removes its objects.
 */
class CsiLifecycleE2E {
  private static final long MIB = 1L << 20;

  /** The smallest that xfs takes, which grows in use without CAP_SYS_RESOURCE. */
  private static final long SMALL = 320 * MIB;

  @TempDir static Path directory;
  private static RunningNode node;

  @BeforeAll
  static void start() {
    assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
    node =
        RunningNode.start(
            directory.resolve("data"),
            "--csi",
            socket().toString(),
            "--csi-registration",
            directory.resolve("plugins").toString());
  }

  @AfterAll
  static void stop() {
    if (node != null) {
      node.close();
    }
  }

  private static Path socket() {
    return directory.resolve("csi.sock");
  }

  private Path staging(String name) {
    return directory.resolve("staging-" + name);
  }

  private Path target(String name) {
    return directory.resolve("pods").resolve(name);
  }

  /** As a crash between two calls. */
  private void crash() {
    node.kill();
    node.up().succeeded();
  }

  private void up(CsiClient csi, String volume) {
    csi.attach(volume);
    csi.stage(volume, staging(volume));
    csi.publish(volume, staging(volume), target(volume));
  }

  private void down(CsiClient csi, String volume) {
    csi.unpublish(volume, target(volume));
    csi.unstage(volume, staging(volume));
    csi.detach(volume);
    csi.delete(volume);
    assertThat(target(volume)).doesNotExist();
  }

  @Test
  void filesystemSurvivesItsWholeLifecycleWithCrashes() throws IOException {
    try (CsiClient csi = new CsiClient(socket(), CsiClient.filesystem("xfs"))) {
      String volume = csi.create("files", SMALL, "");
      csi.attach(volume);
      crash();
      csi.stage(volume, staging(volume));
      csi.publish(volume, staging(volume), target(volume));
      assertThat(Command.of("findmnt", "-no", "FSTYPE", target(volume).toString()).run().out())
          .isEqualTo("xfs");
      Files.writeString(target(volume).resolve("first"), "before the snapshot");
      sync(target(volume));
      String snapshot = csi.snapshot("s-1", volume);
      Files.writeString(target(volume).resolve("second"), "after the snapshot");
      crash();

      growInUse(csi, volume);

      String restored = csi.create("restored", SMALL + 64 * MIB, snapshot);
      up(csi, restored);
      assertThat(target(restored).resolve("first")).hasContent("before the snapshot");
      assertThat(target(restored).resolve("second")).doesNotExist();
      assertThat(Files.getFileStore(target(restored)).getTotalSpace())
          .isGreaterThan(SMALL - 64 * MIB);
      assertThat(target(volume).resolve("second")).hasContent("after the snapshot");
      down(csi, restored);
      csi.deleteSnapshot(snapshot);
      csi.unpublish(volume, target(volume));
      csi.unstage(volume, staging(volume));
      crash();
      csi.detach(volume);
      csi.delete(volume);
    }
    nothingIsLeft();
  }

  /** A writer that syncs each number sees no error while its filesystem grows. */
  private void growInUse(CsiClient csi, String volume) throws IOException {
    AtomicBoolean enough = new AtomicBoolean();
    AtomicLong numbers = new AtomicLong();
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(() -> write(target(volume).resolve("numbers"), numbers, enough));
    awaitProgress(numbers, writer);
    csi.expand(volume, target(volume), SMALL + 128 * MIB);
    awaitProgress(numbers, writer);
    enough.set(true);
    writer.join();
    assertThat(Files.getFileStore(target(volume)).getTotalSpace())
        .as("the space that was added, less the filesystem's own")
        .isGreaterThan(SMALL);
    ByteBuffer found = ByteBuffer.wrap(Files.readAllBytes(target(volume).resolve("numbers")));
    assertThat(found.remaining()).isEqualTo(numbers.get() * Long.BYTES);
    for (long number = 0; found.hasRemaining(); number++) {
      assertThat(found.getLong()).isEqualTo(number);
    }
  }

  private static void awaitProgress(AtomicLong numbers, CompletableFuture<Void> writer) {
    long wanted = numbers.get() + 20;
    Await.until(
        "the writer continues",
        Duration.ofSeconds(60),
        () -> numbers.get() >= wanted || writer.isDone());
    assertThat(writer).as("the writer saw no error").isNotDone();
  }

  private static void write(Path file, AtomicLong numbers, AtomicBoolean enough) {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      while (!enough.get()) {
        channel.write(ByteBuffer.allocate(Long.BYTES).putLong(numbers.get()).flip());
        channel.force(false);
        numbers.incrementAndGet();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void sync(Path directory) {
    Command.of("sync", "--file-system", directory.toString()).run().succeeded();
  }

  @Test
  void aRawDeviceKeepsItsBytesAcrossNodesLives() throws IOException {
    byte[] content = "a block volume".repeat(300).getBytes(StandardCharsets.UTF_8);
    try (CsiClient csi = new CsiClient(socket(), CsiClient.block())) {
      String volume = csi.create("raw", 16 * MIB, "");
      up(csi, volume);
      crash();
      write(target(volume), content);
      csi.expand(volume, target(volume), 32 * MIB);
      csi.unpublish(volume, target(volume));
      csi.unstage(volume, staging(volume));
      csi.detach(volume);
      up(csi, volume);
      assertThat(read(target(volume), content.length)).isEqualTo(content);
      try (FileChannel device = FileChannel.open(target(volume), StandardOpenOption.READ)) {
        assertThat(device.size()).isEqualTo(32 * MIB);
      }
      down(csi, volume);
    }
    nothingIsLeft();
  }

  @Test
  void backupOutlivesItsVolumeAndIsRestoredInAnotherCluster() throws IOException {
    String address = "file://" + Files.createDirectory(directory.resolve("backups"));
    node.ok("backup", "add-target", address);
    byte[] content = "a backed-up volume".repeat(300).getBytes(StandardCharsets.UTF_8);
    String backup;
    try (CsiClient csi = new CsiClient(socket(), CsiClient.block())) {
      String volume = csi.create("backed-up", 16 * MIB, "");
      up(csi, volume);
      write(target(volume), content);
      backup = csi.backup("snapshot-1", volume);
      assertThat(backup).isEqualTo("bak://backed-up/snapshot-1");
      down(csi, volume);
      nothingIsLeft();
      restored(csi, backup, content);
    }
    Path another = directory.resolve("csi-2.sock");
    try (RunningNode other =
            RunningNode.start(directory.resolve("data-2"), "--csi", another.toString());
        CsiClient csi = new CsiClient(another, CsiClient.block())) {
      other.ok("backup", "add-target", address);
      restored(csi, backup, content);
    }
    try (CsiClient csi = new CsiClient(socket(), CsiClient.block())) {
      csi.deleteSnapshot(backup);
      assertThat(node.api().items("backups")).isEmpty();
    }
  }

  private void restored(CsiClient csi, String backup, byte[] content) throws IOException {
    String volume = csi.create("restored-raw", 16 * MIB, backup);
    up(csi, volume);
    assertThat(read(target(volume), content.length)).isEqualTo(content);
    down(csi, volume);
  }

  private static void write(Path device, byte[] content) throws IOException {
    try (FileChannel channel = FileChannel.open(device, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(content), MIB);
      channel.force(true);
    }
  }

  private static byte[] read(Path device, int length) throws IOException {
    try (FileChannel channel = FileChannel.open(device, StandardOpenOption.READ)) {
      ByteBuffer read = ByteBuffer.allocate(length);
      channel.read(read, MIB);
      return read.array();
    }
  }

  /** One program writes a number to one volume, then to the other: no snapshot may have it so. */
  @Test
  void groupSnapshotsAreConsistentWithEachOther() throws IOException {
    try (CsiClient csi = new CsiClient(socket(), CsiClient.block())) {
      String first = csi.create("first", 16 * MIB, "");
      String second = csi.create("second", 16 * MIB, "");
      up(csi, first);
      up(csi, second);
      AtomicBoolean enough = new AtomicBoolean();
      AtomicLong numbers = new AtomicLong();
      CompletableFuture<Void> writer =
          CompletableFuture.runAsync(
              () -> writeInTurn(target(first), target(second), numbers, enough));
      for (int round = 0; round < 5; round++) {
        awaitProgress(numbers, writer);
        Csi.VolumeGroupSnapshot group = csi.group("group-" + round, first, second);
        assertThat(group.getReadyToUse()).isTrue();
        long[] seen = new long[2];
        for (Csi.Snapshot snapshot : group.getSnapshotsList()) {
          int place = snapshot.getSourceVolumeId().equals(first) ? 0 : 1;
          seen[place] = numberIn(csi, snapshot.getSnapshotId());
        }
        assertThat(seen[0]).as("round %d", round).isBetween(seen[1], seen[1] + 1).isPositive();
        csi.deleteGroup(group.getGroupSnapshotId());
      }
      enough.set(true);
      writer.join();
      down(csi, first);
      down(csi, second);
    }
    nothingIsLeft();
  }

  private long numberIn(CsiClient csi, String snapshot) throws IOException {
    String copy = csi.create("copy-" + snapshot, 16 * MIB, snapshot);
    up(csi, copy);
    long number;
    try (FileChannel device = FileChannel.open(target(copy), StandardOpenOption.READ)) {
      ByteBuffer read = ByteBuffer.allocate(Long.BYTES);
      device.read(read, 0);
      number = read.flip().getLong();
    }
    down(csi, copy);
    return number;
  }

  private static void writeInTurn(
      Path first, Path second, AtomicLong numbers, AtomicBoolean enough) {
    try (FileChannel one = FileChannel.open(first, StandardOpenOption.WRITE);
        FileChannel two = FileChannel.open(second, StandardOpenOption.WRITE)) {
      while (!enough.get()) {
        long number = numbers.get() + 1;
        for (FileChannel device : new FileChannel[] {one, two}) {
          device.write(ByteBuffer.allocate(4096).putLong(number).rewind(), 0);
          device.force(false);
        }
        numbers.set(number);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void driverRegistersWithTheKubelet() {
    Path registration = directory.resolve("plugins/csi.holdfast.dev-reg.sock");
    try (CsiClient kubelet = new CsiClient(registration, CsiClient.block())) {
      assertThat(kubelet.plugin().getType()).isEqualTo("CSIPlugin");
      assertThat(kubelet.plugin().getName()).isEqualTo("csi.holdfast.dev");
      assertThat(kubelet.plugin().getEndpoint()).isEqualTo(socket().toString());
      assertThat(kubelet.plugin().getSupportedVersionsList()).containsExactly("1.0.0");
    }
  }

  private void nothingIsLeft() throws IOException {
    assertThat(node.ok("volume", "list", "-o", "json")).doesNotContain("\"name\"");
    assertThat(Files.readString(Path.of("/proc/self/mountinfo")))
        .doesNotContain(directory.toString());
    assertThat(Command.of("losetup", "--list").run().out()).doesNotContain(directory.toString());
  }
}
