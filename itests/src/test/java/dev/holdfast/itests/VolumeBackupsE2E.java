package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Backups of volumes in a directory: a second one sends only what changed, a restored volume is
 * equal, a killed container completes its backup after the next start, and a deletion removes the
 * blocks that no other backup needs. A node with an empty store finds and restores a backup, and
 * follows later ones with a standby volume.
 */
class VolumeBackupsE2E {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir private Path directory;
  private Path target;
  private RunningNode node;

  @BeforeEach
  void start() throws IOException {
    target = Files.createDirectory(directory.resolve("target"));
    node = RunningNode.start(directory.resolve("node"));
    node.ok("backup", "add-target", "file://" + target);
  }

  @AfterEach
  void stop() {
    node.close();
  }

  /** Writes whole mebibytes of one byte each, and flushes them. */
  private static void write(URI uri, int value, int first, int count) {
    qemu(uri, String.format(Locale.ROOT, "write -P %d %dM %dM", value, first, count), "flush");
  }

  private static void qemu(URI uri, String... commands) {
    List<String> words = new ArrayList<>(List.of("qemu-io", "-f", "raw", uri.toString()));
    for (String command : commands) {
      words.addAll(List.of("-c", command));
    }
    Command.of(words).run().succeeded();
  }

  private long blocks() {
    try (Stream<Path> files = Files.walk(target)) {
      return files.filter(file -> file.toString().endsWith(".blk")).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void assertEqual(URI one, Path file) {
    Command.of("qemu-img", "compare", "-f", "raw", "-F", "raw", one.toString(), file.toString())
        .run()
        .succeeded();
  }

  private Path copyOf(URI uri) {
    Path file = directory.resolve("copy-" + System.nanoTime());
    Command.of("qemu-img", "convert", "-f", "raw", "-O", "raw", uri.toString(), file.toString())
        .run()
        .succeeded();
    return file;
  }

  @Test
  void volumeIsBackedUpInUseAndRestored() {
    URI uri = node.volume("data", "64Mi", 2);
    write(uri, 17, 8, 8);
    write(uri, 18, 32, 2);
    node.ok("backup", "create", "data", "--name", "first");
    final Path first = copyOf(uri);
    final long afterFirst = blocks();
    assertThat(afterFirst).as("equal blocks are kept once").isEqualTo(2);

    write(uri, 19, 40, 2);
    try (SteadyWrites writes = new SteadyWrites(256, 7, uri)) {
      node.ok("backup", "create", "data", "--name", "second");
      assertThat(writes.count()).isPositive();
    }
    assertThat(blocks()).isGreaterThan(afterFirst);

    assertThat(node.ok("backup", "list", "data")).contains("first", "second");
    node.ok("volume", "create", "restored", "--backup", "first", "--wait");
    assertEqual(node.attach("restored"), first);

    node.ok("backup", "delete", "second");
    assertThat(blocks()).isEqualTo(afterFirst);
    assertThat(node.ok("backup", "verify", "file://" + target)).contains("first", "intact");
    node.ok("volume", "detach", "restored");
    node.ok("volume", "delete", "restored", "--grace", "0s");
    restoredAndDeletedByAnotherCluster(first, uri);
    node.ok("backup", "sync");
    assertThat(node.ok("backup", "list", "data")).contains("does not have it any more");
  }

  /** A node with an empty store finds the backup at the target. */
  private void restoredAndDeletedByAnotherCluster(Path first, URI uri) {
    try (RunningNode other = RunningNode.start(directory.resolve("other"))) {
      other.ok("backup", "add-target", "file://" + target);
      assertThat(other.ok("backup", "sync")).contains("volumes: 1");
      assertThat(other.ok("backup", "list", "--target", "default")).contains("first", "completed");
      other.ok("volume", "create", "restored", "--backup", "first", "--wait");
      assertEqual(other.attach("restored"), first);
      followedUntilActivation(other, uri);
      other.ok("backup", "delete", "first");
      assertThat(blocks()).isZero();
    }
  }

  /** A standby volume gets the next backup, is attached for no client, and is activated. */
  private void followedUntilActivation(RunningNode other, URI uri) {
    other.ok("setting", "set", "standby-poll-interval", "1");
    other.ok("volume", "create", "copy", "--backup", "first", "--standby");
    awaitContent(other, "first");
    write(uri, 20, 8, 2);
    node.ok("backup", "create", "data", "--name", "third");
    awaitContent(other, "third");
    // Until the snapshot of the earlier backup is removed, a client is told of that attachment.
    Await.until(
        "the standby volume is detached",
        LIMIT,
        () -> other.api().get("volumes", "copy").at("/status/state").asText().equals("detached"));
    assertThat(other.run("volume", "attach", "copy", "--timeout", "5").failed().err())
        .contains("is a standby volume: use 'holdfast volume activate copy'");
    assertThat(other.ok("volume", "activate", "copy")).contains("content of backup third");
    assertEqual(other.attach("copy"), copyOf(uri));
    other.ok("backup", "sync");
    other.ok("backup", "delete", "third");
  }

  private static void awaitContent(RunningNode other, String backup) {
    Await.until(
        "the standby volume has backup " + backup,
        LIMIT,
        () ->
            other
                .api()
                .get("volumes", "copy")
                .at("/status/standby/lastRestored")
                .asText()
                .equals(backup));
  }

  @Test
  void eachBackupAttachesADetachedVolumeOnce() {
    write(node.volume("data", "16Mi", 1), 21, 0, 4);
    node.ok("volume", "detach", "data");
    final int before = attachments("data");
    node.ok("backup", "create", "data", "--name", "first");
    node.awaitDetached("data", LIMIT);
    assertThat(attachments("data") - before).isOne();
    // The snapshot of the first one is removed while the volume is attached for the second one.
    node.ok("backup", "create", "data", "--name", "second");
    node.awaitDetached("data", LIMIT);
    assertThat(node.api().items("snapshots"))
        .extracting(snapshot -> snapshot.at("/spec/snapshotName").asText())
        .containsExactly("second");
    assertThat(attachments("data") - before).isEqualTo(2);
  }

  /** Returns how often a volume was attached, by its events. */
  private int attachments(String volume) {
    return node.api().items("events").stream()
        .filter(event -> event.at("/spec/regarding/name").asText().equals(volume))
        .filter(event -> event.at("/spec/reason").asText().equals("Attach"))
        .mapToInt(event -> event.at("/spec/count").asInt())
        .sum();
  }

  @Test
  void backupOfDetachedVolumeIsCompletedAfterTheContainerWasKilled() {
    URI uri = node.volume("data", "128Mi", 1);
    qemu(
        uri,
        IntStream.range(0, 32)
            .mapToObj(
                chunk -> String.format(Locale.ROOT, "write -P %d %dM 4M", 1 + chunk, 4 * chunk))
            .toArray(String[]::new));
    final Path content = copyOf(uri);
    node.ok("volume", "detach", "data");
    node.ok("backup", "create", "data", "--name", "killed", "--no-wait");
    Await.until("some blocks arrived", LIMIT, () -> blocks() > 0);
    node.kill();
    node.up().succeeded();

    Await.until(
        "the backup is complete",
        LIMIT,
        () -> node.api().get("backups", "killed").at("/status/state").asText().equals("Completed"));
    node.ok("volume", "create", "restored", "--backup", "killed", "--wait");
    assertEqual(node.attach("restored"), content);
    node.awaitDetached("data", LIMIT);
  }
}
