package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.BackupRequest;
import dev.holdfast.backupstore.BackupSource;
import dev.holdfast.backupstore.BackupSummary;
import dev.holdfast.backupstore.BackupTargets;
import dev.holdfast.backupstore.Compression;
import dev.holdfast.backupstore.LonghornBackupWriter;
import dev.holdfast.backupstore.RecordedImage;
import dev.holdfast.backupstore.WrittenBackup;
import dev.holdfast.backupstore.layout.BackupLayout;
import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The verbs on packed backups, without a node, on a directory. */
class PackedBackupCommandsTest {
  private static final int CHUNK = 64 << 10;

  @TempDir Path folder;
  private String url;
  private byte[] content;

  /** Bytes in memory, all of which are backed up. */
  private static final class Bytes implements BackupSource {
    private final byte[] content;

    Bytes(byte[] content) {
      this.content = content;
    }

    @Override
    public long sizeBytes() {
      return content.length;
    }

    @Override
    public Optional<String> refusesBase(BackupSummary last) {
      return Optional.of("its changes are not known");
    }

    @Override
    public void changedSince(BackupSummary last, RangeVisitor visitor) throws StorageException {
      allocated(visitor);
    }

    @Override
    public void allocated(RangeVisitor visitor) throws StorageException {
      visitor.range(0, content.length);
    }

    @Override
    public void aboveImage(RangeVisitor visitor) throws StorageException {
      allocated(visitor);
    }

    @Override
    public void read(long offset, ByteBuffer target) {
      target.put(content, (int) offset, target.remaining());
    }
  }

  @BeforeEach
  void write() throws Exception {
    Path target = Files.createDirectory(folder.resolve("target"));
    url = "file://" + target;
    content = new byte[4 << 20];
    new Random(3).nextBytes(content);
    Arrays.fill(content, 1 << 20, 2 << 20, (byte) 0);
    List<BackupTargetProvider> providers =
        ServiceLoader.load(BackupTargetProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .toList();
    BackupRequest request =
        new BackupRequest(
            new BackupName("vol1", "backup-1"),
            "snap1",
            "uid-1",
            Instant.parse("2026-11-20T23:22:58Z"),
            Map.of(),
            false,
            2 << 20,
            Compression.ZSTD,
            RecordedImage.NONE);
    try (ObjectStore store = new BackupTargets(providers).open(TargetUrl.parse(url), Map.of())) {
      WrittenBackup written =
          new LaidOutBackups(store)
              .write(
                  request,
                  BackupLayout.PACKED,
                  new Bytes(content),
                  2,
                  LonghornBackupWriter.Progress.NONE);
      assertThat(written.summary().sizeBytes()).isEqualTo(48L * CHUNK);
    }
  }

  private String backup() {
    return url + "?backup=backup-1&volume=vol1";
  }

  private Path pack() throws Exception {
    try (Stream<Path> files = Files.walk(folder.resolve("target"))) {
      return files.filter(file -> file.toString().endsWith(".pack")).findFirst().orElseThrow();
    }
  }

  @Test
  void volumesAndBackupsAreShown() {
    assertThat(NodelessCommand.run("backup", "ls", url).out())
        .contains("vol1     4Mi    1         backup-1");
    assertThat(NodelessCommand.run("backup", "list", url).out())
        .contains("vol1     backup-1   complete   3Mi")
        .contains("zstd in 64Ki");
  }

  @Test
  void intactBackupIsVerifiedAndExtracted() throws Exception {
    NodelessCommand verified = NodelessCommand.run("backup", "verify", url);
    assertThat(verified.exitCode()).as(verified.err()).isZero();
    assertThat(verified.out()).contains("backup-1   intact   48       48        0");
    Path file = folder.resolve("volume.raw");
    NodelessCommand extracted =
        NodelessCommand.run("backup", "extract", backup(), "--to", file.toString());
    assertThat(extracted.exitCode()).as(extracted.err()).isZero();
    assertThat(Files.readAllBytes(file)).isEqualTo(content);
  }

  @Test
  void damagedChunkIsNamedAndBecomesZeroesOnRequestOnly() throws Exception {
    byte[] bytes = Files.readAllBytes(pack());
    bytes[20] ^= 1;
    Files.write(pack(), bytes);
    NodelessCommand verified = NodelessCommand.run("backup", "verify", url);
    assertThat(verified.exitCode()).isOne();
    assertThat(verified.out())
        .contains("backup-1   damaged   48       48        1")
        .contains("damaged: backup vol1/backup-1: offset 0, 65536 bytes, object ");
    Path file = folder.resolve("volume.raw");
    assertThat(
            NodelessCommand.run("backup", "extract", backup(), "--to", file.toString()).exitCode())
        .isOne();
    assertThat(file).doesNotExist();
    assertThat(
            NodelessCommand.run(
                    "backup", "extract", backup(), "--to", file.toString(), "--zero-damaged")
                .exitCode())
        .isZero();
    Arrays.fill(content, 0, CHUNK, (byte) 0);
    assertThat(Files.readAllBytes(file)).isEqualTo(content);
  }
}
