package dev.holdfast.support.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.ZstdInputStream;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive, unpacked by the system's tar. */
class SupportArchiveTest {
  private static final Instant NOW = Instant.parse("2026-11-28T12:00:00Z");

  @TempDir private Path folder;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private Path unpacked(Map<String, SupportArchive.Part> parts) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new SupportArchive(threads, InstantSource.fixed(NOW))
        .write(
            new SupportRequest(NOW.minusSeconds(60), Optional.of("films"), List.of()),
            new TreeMap<>(parts),
            bytes);
    Path tar = folder.resolve("bundle.tar");
    try (ZstdInputStream in = new ZstdInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      Files.write(tar, in.readAllBytes());
    }
    Process process =
        new ProcessBuilder("tar", "-xf", tar.toString(), "-C", folder.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output).isEmpty();
    return folder;
  }

  @Test
  void archiveHoldsTheFilesOfEveryNodeAndNamesThoseThatAreDown() throws Exception {
    String deep = "a-folder/".repeat(14) + "file.txt";
    Path made =
        unpacked(
            Map.of(
                "n1",
                sink -> {
                  sink.entry("logs/holdfast.log", "line\n".getBytes(StandardCharsets.UTF_8));
                  sink.entry(deep, new byte[1300]);
                  sink.entry("empty.txt", new byte[0]);
                },
                "n2",
                sink -> {
                  throw new StorageException(ErrorCode.UNREACHABLE, "node n2: connection refused");
                }));

    assertThat(made.resolve("nodes/n1/logs/holdfast.log")).hasContent("line\n");
    assertThat(made.resolve("nodes/n1").resolve(deep)).hasSize(1300);
    assertThat(made.resolve("nodes/n1/empty.txt")).isEmptyFile();
    assertThat(Files.readString(made.resolve("manifest.json")))
        .containsIgnoringWhitespaces(
            "\"volume\":\"films\"",
            "{\"name\":\"n1\",\"state\":\"collected\",\"files\":3}",
            "{\"name\":\"n2\",\"state\":\"unreachable\",\"reason\":\"node n2: connection refused\"}");
  }
}
