package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backupstore.testkit.LonghornBackupstore;
import dev.holdfast.backuptarget.testkit.FaultyObjectStore;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reads backups of the real Longhorn, and refuses hostile variants of them by name. */
class LonghornBackupsTest {
  private static final String VOLUME_CONFIG = LonghornKeys.volumeConfig("vol1");
  private static final String CONFIG = LonghornKeys.backupConfig(LonghornFixture.SNAP2);

  @TempDir Path folder;
  private MemoryObjectStore store;
  private LonghornBackups backups;

  @BeforeEach
  void unpack() throws Exception {
    store = LonghornFixture.store(folder);
    backups = new LonghornBackups(store);
  }

  @Test
  void volumesAreListedWithOneLookAtEach() throws Exception {
    for (String volume : List.of("another", "vol2", "pvc-1234")) {
      LonghornFixture.put(store, LonghornKeys.volumeConfig(volume), "{}");
      LonghornFixture.put(store, LonghornKeys.block(volume, "ab".repeat(32)), "x");
    }
    LonghornFixture.put(store, LonghornKeys.VOLUMES + "00/00/misplaced/volume.cfg", "{}");
    LonghornFixture.put(store, LonghornKeys.VOLUMES + "stray", "x");
    LonghornFixture.put(store, LonghornKeys.volumeFolder("no-config") + "blocks/x", "x");
    AtomicInteger calls = new AtomicInteger();
    FaultyObjectStore counted =
        new FaultyObjectStore(store, (call, key) -> calls.incrementAndGet());

    assertThat(new LonghornBackups(counted).volumes())
        .containsExactlyInAnyOrder("vol1", "another", "vol2", "pvc-1234");
    assertThat(calls)
        .as("calls for four volumes, three other entries, and the end")
        .hasValueLessThan(16);
  }

  @Test
  void failedListingIsNotAnEmptyOne() {
    FaultyObjectStore away =
        new FaultyObjectStore(
            store,
            (call, key) -> {
              throw new StorageException(ErrorCode.UNREACHABLE, "target is away");
            });

    assertCode(ErrorCode.UNREACHABLE, () -> new LonghornBackups(away).volumes());
    assertCode(
        ErrorCode.UNREACHABLE, () -> new LonghornBackups(away).backups(backups.volume("vol1")));
  }

  @Test
  void volumeIsDescribedWithItsDoublyQuotedTexts() throws Exception {
    assertThat(backups.volume("vol1"))
        .isEqualTo(
            new StoredVolume(
                "vol1",
                64L << 20,
                "2026-11-20T23:22:58Z",
                "backup-7966edeab6654a48",
                "",
                "",
                "v1"));
  }

  @ParameterizedTest
  @CsvSource({
    "\"\\\"image\\\"\",image",
    "\"image\",image",
    "null,''",
    "\"\",''",
    "\"\\\"\\\"\",''"
  })
  void everySpellingOfAQuotedTextIsRead(String json, String image) throws Exception {
    edit(VOLUME_CONFIG, "\"BackingImageName\":\"\\\"\\\"\"", "\"BackingImageName\":" + json);

    assertThat(backups.volume("vol1").backingImage()).isEqualTo(image);
  }

  @Test
  void backupsAreDescribedWithoutTheirBlocks() throws Exception {
    List<BackupSummary> found = backups.backups(backups.volume("vol1"));

    assertThat(found)
        .extracting(BackupSummary::name)
        .containsExactly(LonghornFixture.SNAP1, LonghornFixture.SNAP2);
    assertThat(found.get(1))
        .isEqualTo(
            new BackupSummary(
                LonghornFixture.SNAP2,
                "snap2",
                "",
                "2026-11-20T23:23:03Z",
                "2026-11-20T23:23:05Z",
                67_108_864,
                2 << 20,
                0,
                Compression.LZ4,
                true,
                Map.of()));
  }

  @ParameterizedTest
  @CsvSource({"snap1,backup-0496a402e81d4902", "snap2,backup-7966edeab6654a48"})
  void restoredFileHasTheContentOfTheSnapshot(String snapshot, String backup) throws Exception {
    Path file = folder.resolve(snapshot + ".raw");
    StoredBackup stored = backups.backup(new BackupName("vol1", backup));

    assertThat(new FileRestore(store, 2).write(stored, file, false)).isEmpty();
    assertThat(Files.size(file)).isEqualTo(64L << 20);
    assertThat(LonghornBackupstore.sha256(file))
        .isEqualTo(LonghornBackupstore.expectedSha256(snapshot));
  }

  @Test
  void incompleteBackupIsNeitherRestoredNorHidden() throws Exception {
    edit(CONFIG, "\"CreatedTime\":\"2026-11-20T23:23:05Z\"", "\"CreatedTime\":\"\"");

    assertThat(backups.backups(backups.volume("vol1")).get(1).inProgress()).isTrue();
    assertCode(ErrorCode.BUSY, () -> backups.backup(LonghornFixture.SNAP2));
  }

  @Test
  void unknownNamesAreNotFound() {
    assertCode(ErrorCode.NOT_FOUND, () -> backups.volume("other"));
    assertCode(ErrorCode.NOT_FOUND, () -> backups.backup(new BackupName("vol1", "backup-0")));
    assertCode(ErrorCode.INVALID, () -> backups.volume("../vol1"));
    assertCode(ErrorCode.INVALID, () -> backups.backup(new BackupName("vol1", "a/b")));
  }

  @Test
  void unknownCompressionIsUnsupported() throws Exception {
    edit(CONFIG, "\"CompressionMethod\":\"lz4\"", "\"CompressionMethod\":\"zstd\"");

    assertCode(ErrorCode.UNSUPPORTED, () -> backups.backup(LonghornFixture.SNAP2));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"Name\":\"backup-7966edeab6654a48\" | \"Name\":\"other\" | backup \"other\"",
        "\"VolumeName\":\"vol1\" | \"VolumeName\":\"vol2\" | volume \"vol2\"",
        "\"2097152\" | \"3000000\" | power of two",
        "\"2097152\" | \"99999999999999999999\" | is not a size",
        "\"2097152\" | \"999999999999999999Gi\" | is not a size",
        "\"2097152\" | \"64\" | power of two",
        "\"Size\":\"67108864\" | \"Size\":\"many\" | \"many\"",
        "\"Offset\":2097152, | \"Offset\":0, | out of order",
        "\"Offset\":2097152, | \"Offset\":-2097152, | out of order",
        "\"Offset\":2097152, | \"Offset\":2097153, | not a multiple",
        "\"Offset\":65011712, | \"Offset\":67108864, | within the volume's",
        "\"Offset\":0, | \"Offset\":\"x\", | Offset",
        "ba2cd70e5f3efc70 | ../../../../../.. | 64 hex digits",
        "\"Blocks\":[ | \"Blocks\":7,\"x\":[ | not a list",
        "\"Blocks\":[ | \"Blocks\":[[ | not an object",
        "\"Labels\":null | \"Labels\":[[[[[[[[[[[[[[[[[ | nesting",
        "\"SingleFile\" | \"Single | expected"
      })
  void hostileConfigurationIsRefusedWithTheReason(String from, String to, String reason)
      throws Exception {
    edit(CONFIG, from, to);

    assertThatThrownBy(() -> backups.backup(LonghornFixture.SNAP2))
        .isInstanceOf(StorageException.class)
        .hasMessageStartingWith("backup vol1/backup-7966edeab6654a48: ")
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"Size\":\"67108864\" | \"Size\":\"0\" | Size",
        "\"Size\":\"67108864\" | \"Size\":\"-1\" | Size",
        "\"Size\":\"67108864\" | \"Size\":\"9223372036854775807\" | Size",
        "\"Name\":\"vol1\" | \"Name\":\"vol2\" | volume \"vol2\"",
        "{ | [ | not a JSON object"
      })
  void hostileVolumeIsRefusedWithTheReason(String from, String to, String reason) throws Exception {
    edit(VOLUME_CONFIG, from, to);

    assertThatThrownBy(() -> backups.volume("vol1"))
        .isInstanceOf(StorageException.class)
        .hasMessageStartingWith("volume vol1: ")
        .hasMessageContaining(reason);
  }

  @Test
  void messageHasNoControlCharactersOfTheTarget() throws Exception {
    edit(CONFIG, "\"Name\":\"backup-7966edeab6654a48\"", "\"Name\":\"a\\u001b[2Jb\\nc\"");

    assertThatThrownBy(() -> backups.backup(LonghornFixture.SNAP2))
        .hasMessageContaining("backup \"a [2Jb c\"");
  }

  @Test
  void hugeConfigurationIsRefusedBeforeItIsRead() throws Exception {
    LonghornFixture.put(store, CONFIG, new byte[40 << 20]);

    assertThatThrownBy(() -> backups.backup(LonghornFixture.SNAP2))
        .hasMessageContaining("41943040 bytes; at most");
  }

  private void edit(String key, String from, String to) throws StorageException {
    String text = LonghornFixture.text(store, key);
    assertThat(text).contains(from);
    LonghornFixture.put(store, key, text.replace(from, to));
  }

  private static void assertCode(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
