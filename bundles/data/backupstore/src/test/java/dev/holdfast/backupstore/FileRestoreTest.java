package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backuptarget.testkit.FaultyObjectStore;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A restored file is whole, sparse and of the exact size, or not there. */
class FileRestoreTest {
  private static final int BLOCK = 2 << 20;

  @TempDir Path folder;
  private MemoryObjectStore store;
  private StoredBackup backup;

  @BeforeEach
  void unpack() throws Exception {
    store = LonghornFixture.store(folder);
    backup = new LonghornBackups(store).backup(LonghornFixture.SNAP2);
  }

  @Test
  void restoreNamesTheDamagedBlockAndLeavesNoFile() throws Exception {
    String key = LonghornKeys.block("vol1", backup.blocks().checksum(3));
    store.delete(List.of(key));
    Path file = Files.createDirectory(folder.resolve("out")).resolve("restored");

    assertThatThrownBy(() -> new FileRestore(store, 2).write(backup, file, false))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IO))
        .hasMessageContaining("offset 6291456, 2097152 bytes, object " + key + ": is missing");
    assertThat(file.getParent()).isEmptyDirectory();
  }

  @Test
  void damagedBlockBecomesZeroesOnRequestOnly() throws Exception {
    store.delete(List.of(LonghornKeys.block("vol1", backup.blocks().checksum(3))));
    Path file = folder.resolve("restored");
    List<DamagedBlock> damaged = new FileRestore(store, 2).write(backup, file, true);

    assertThat(damaged).extracting(DamagedBlock::offset).containsExactly(3L * BLOCK);
    byte[] content = Files.readAllBytes(file);
    assertThat(Arrays.copyOfRange(content, 3 * BLOCK, 4 * BLOCK)).containsOnly(0);
    assertThat(Arrays.copyOfRange(content, 2 * BLOCK, 3 * BLOCK)).isNotEqualTo(new byte[BLOCK]);
  }

  @Test
  void existingFileIsKept() throws Exception {
    Path file = Files.writeString(folder.resolve("present"), "present");

    assertThatThrownBy(() -> new FileRestore(store, 2).write(backup, file, false))
        .hasMessageContaining("exists: choose another name");
    assertThat(file).hasContent("present");
  }

  @Test
  void absentFolderIsNamed() {
    Path file = folder.resolve("absent/restored");

    assertThatThrownBy(() -> new FileRestore(store, 2).write(backup, file, false))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND))
        .hasMessage("file " + file + ": the folder " + file.getParent() + " is missing: create it");
  }

  @Test
  void volumeWithABackingImageIsNotRestoredWithoutIt() throws Exception {
    String key = LonghornKeys.volumeConfig("vol1");
    String text = LonghornFixture.text(store, key);
    LonghornFixture.put(
        store,
        key,
        text.replace("\"BackingImageName\":\"\\\"\\\"\"", "\"BackingImageName\":\"base\""));
    StoredBackup based = new LonghornBackups(store).backup(LonghornFixture.SNAP2);
    Path file = folder.resolve("restored");

    assertThatThrownBy(() -> new FileRestore(store, 2).write(based, file, false))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
        .hasMessageContaining("backing image \"base\"");
    assertThat(file).doesNotExist();
  }

  @Test
  void zeroesTakeNoRoom() throws Exception {
    Path sparse = folder.resolve("sparse");
    new FileRestore(store, 2).write(backup, sparse, false);
    Path full = Files.write(folder.resolve("full"), Files.readAllBytes(sparse));

    assertThat(Files.mismatch(sparse, full)).isEqualTo(-1);
    assertThat(allocated(sparse)).isLessThan(allocated(full) / 2);
  }

  private static long allocated(Path file) throws Exception {
    Process stat =
        new ProcessBuilder("stat", "-c", "%b", file.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out = reader(stat)) {
      return Long.parseLong(out.readLine());
    }
  }

  private static BufferedReader reader(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  @Test
  void signalThatEndsTheProgramLeavesNoFile() throws Exception {
    Path out = Files.createDirectory(folder.resolve("out"));
    Process restore =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                StuckRestore.class.getName(),
                Files.createDirectory(folder.resolve("target")).toString(),
                out.resolve("restored").toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader lines = reader(restore)) {
      assertThat(lines.readLine()).isEqualTo(StuckRestore.STUCK);
      assertThat(out).isNotEmptyDirectory();
      restore.destroy();
      assertThat(restore.onExit().join().exitValue()).isEqualTo(143);
    } finally {
      restore.destroyForcibly();
    }
    assertThat(out).isEmptyDirectory();
  }

  /** Restores from a target that does not answer after the first block. */
  static final class StuckRestore {
    static final String STUCK = "stuck";

    private StuckRestore() {}

    /** Entry of the program: a folder for the target, and the file. */
    public static void main(String[] arguments) throws Exception {
      MemoryObjectStore whole = LonghornFixture.store(Path.of(arguments[0]));
      StoredBackup backup = new LonghornBackups(whole).backup(LonghornFixture.SNAP2);
      CountDownLatch never = new CountDownLatch(1);
      String last = LonghornKeys.block("vol1", backup.blocks().checksum(31));
      FaultyObjectStore stuck =
          new FaultyObjectStore(
              whole,
              (call, key) -> {
                if (key.equals(last)) {
                  System.out.println(STUCK);
                  await(never);
                }
              });
      new FileRestore(stuck, 1).write(backup, Path.of(arguments[1]), false);
    }

    private static void await(CountDownLatch latch) throws StorageException {
      try {
        latch.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new StorageException(ErrorCode.TIMEOUT, "interrupted", e);
      }
    }
  }
}
