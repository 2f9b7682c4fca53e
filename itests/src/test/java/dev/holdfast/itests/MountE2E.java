package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A filesystem on a volume, mounted on this host, outlives the container, and a job trims it. */
class MountE2E {
  @TempDir Path directory;

  @Test
  void mountedFilesystemSurvivesTheKillOfTheContainer() throws IOException {
    assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
    Path where = directory.resolve("mounted");
    try (RunningNode node = RunningNode.start(directory.resolve("data"))) {
      node.ok("volume", "create", "files", "--size", "256Mi", "--replicas", "3");
      node.ok("mount", "files", where.toString());
      node.ok(
          "recurring-job",
          "create",
          "trim",
          "--task",
          "filesystem-trim",
          "--cron",
          "* * * * *",
          "--retain",
          "1",
          "--group",
          "default");
      try {
        long written = writeAcrossKills(node, where.resolve("log"));

        node.ok("umount", "files");
        node.ok("mount", "files", where.toString());
        assertNumbers(where.resolve("log"), written);
        Await.until(
            "a run of the job trimmed the filesystem",
            Duration.ofMinutes(3),
            () ->
                node.api()
                    .get("volumes", "files")
                    .at("/status/trim/result")
                    .asText()
                    .endsWith(" trimmed"));
        node.ok("recurring-job", "delete", "trim");
      } finally {
        node.run("umount", "files");
      }
      node.replicasAgree("files", 3);
      Command.of("e2fsck", "-f", "-n", node.heads("files").get(0).toString()).run().succeeded();
    }
  }

  /** A writer that syncs each number sees no error while the container is killed and started. */
  private static long writeAcrossKills(RunningNode node, Path file) {
    AtomicBoolean enough = new AtomicBoolean();
    AtomicLong numbers = new AtomicLong();
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(
            () -> {
              try {
                writeNumbers(file, numbers, enough);
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    for (int kill = 0; kill < 2; kill++) {
      awaitProgress(numbers, writer);
      node.kill();
      node.up().succeeded();
      awaitProgress(numbers, writer);
    }
    enough.set(true);
    writer.join();
    return numbers.get();
  }

  private static void awaitProgress(AtomicLong numbers, CompletableFuture<Void> writer) {
    long wanted = numbers.get() + 50;
    Await.until(
        "the writer continues",
        Duration.ofSeconds(90),
        () -> numbers.get() >= wanted || writer.isDone());
    assertThat(writer).as("the writer saw no error").isNotDone();
  }

  private static void writeNumbers(Path file, AtomicLong numbers, AtomicBoolean enough)
      throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      while (!enough.get()) {
        ByteBuffer number = ByteBuffer.allocate(Long.BYTES).putLong(numbers.get()).flip();
        channel.write(number);
        channel.force(false);
        numbers.incrementAndGet();
      }
    }
  }

  private static void assertNumbers(Path file, long count) throws IOException {
    ByteBuffer found = ByteBuffer.wrap(Files.readAllBytes(file));
    assertThat(found.remaining()).isEqualTo(count * Long.BYTES);
    for (long number = 0; number < count; number++) {
      assertThat(found.getLong()).isEqualTo(number);
    }
  }
}
