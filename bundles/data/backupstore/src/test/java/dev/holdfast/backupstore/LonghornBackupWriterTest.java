package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backuptarget.testkit.FaultyObjectStore;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Backups that are written here are those that Longhorn writes, and hold what they were made of.
 */
class LonghornBackupWriterTest {
  private static final int BLOCK = 2 << 20;
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;
  private final TestTime time = new TestTime();
  private final MemoryObjectStore store = new MemoryObjectStore(time);
  private final Random random = new Random(25);

  private LonghornBackupWriter writer() {
    return new LonghornBackupWriter(store, 2, time);
  }

  private WrittenBackup write(ByteSource source, String name) throws StorageException {
    return writer().write(source.request("vol1", name), source, LonghornBackupWriter.Progress.NONE);
  }

  private byte[] content(int size) {
    byte[] content = new byte[size];
    for (int offset = 0; offset < size; offset += BLOCK) {
      if (random.nextInt(4) > 0) {
        byte[] half = new byte[Math.min(BLOCK / 2, size - offset)];
        random.nextBytes(half);
        System.arraycopy(half, 0, content, offset, half.length);
      }
    }
    content[0] = 1;
    return content;
  }

  private ByteSource next(ByteSource last, String uid, int... changed) {
    byte[] content = last.content.clone();
    for (int offset : changed) {
      content[offset]++;
    }
    return new ByteSource(uid, content, Optional.of(last));
  }

  @Test
  void configurationsHaveTheFieldsOfLonghorn() throws Exception {
    MemoryObjectStore theirs = LonghornFixture.store(folder);
    ByteSource first =
        new ByteSource("u1", Restored.bytes(theirs, LonghornFixture.SNAP1), Optional.empty());
    ByteSource second =
        new ByteSource("u2", Restored.bytes(theirs, LonghornFixture.SNAP2), Optional.of(first));
    write(first, LonghornFixture.SNAP1.backup());
    write(second, LonghornFixture.SNAP2.backup());

    for (BackupName name : List.of(LonghornFixture.SNAP1, LonghornFixture.SNAP2)) {
      String key = LonghornKeys.backupConfig(name);
      ObjectNode ours = (ObjectNode) JSON.readTree(LonghornFixture.text(store, key));
      ObjectNode expected = (ObjectNode) JSON.readTree(LonghornFixture.text(theirs, key));
      assertThat(names(ours)).isEqualTo(names(expected));
      assertThat(withoutOurs(ours.get("Parameters"))).isEqualTo(expected.remove("Parameters"));
      ours.remove("Parameters");
      for (String differs :
          List.of("SnapshotName", "SnapshotCreatedAt", "CreatedTime", "NewlyUploadedDataSize")) {
        assertSameForm(ours.remove(differs), expected.remove(differs));
      }
      assertThat(ours).isEqualTo(expected);
    }
    JsonNode ours = JSON.readTree(LonghornFixture.text(store, LonghornKeys.volumeConfig("vol1")));
    JsonNode expected =
        JSON.readTree(LonghornFixture.text(theirs, LonghornKeys.volumeConfig("vol1")));
    assertThat(names(ours)).isEqualTo(names(expected));
    for (String field : names(expected)) {
      assertSameForm(ours.get(field), expected.get(field));
    }
    assertThat(ours.get("CompressionMethod")).isEqualTo(expected.get("CompressionMethod"));
    assertThat(ours.get("BlockCount")).isEqualTo(expected.get("BlockCount"));
    assertThat(ours.get("Size")).isEqualTo(expected.get("Size"));
    assertThat(LonghornFixture.blocks(store)).isEqualTo(LonghornFixture.blocks(theirs));
  }

  private static JsonNode withoutOurs(JsonNode parameters) {
    ObjectNode copy = parameters.deepCopy();
    names(parameters).stream().filter(name -> name.startsWith("holdfast-")).forEach(copy::remove);
    return copy;
  }

  private static List<String> names(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  /** Compares the kind of value, and for texts whether they are numbers, times or quoted twice. */
  private static void assertSameForm(JsonNode ours, JsonNode expected) {
    assertThat(ours.getNodeType()).isEqualTo(expected.getNodeType());
    String shape = "[0-9]+";
    assertThat(ours.asText().matches(shape)).isEqualTo(expected.asText().matches(shape));
    assertThat(ours.asText().startsWith("\"")).isEqualTo(expected.asText().startsWith("\""));
    assertThat(ours.asText().endsWith("Z")).isEqualTo(expected.asText().endsWith("Z"));
    assertThat(ours.asText())
        .hasSameSizeAs(ours.asText().endsWith("Z") ? expected.asText() : ours.asText());
  }

  @Test
  void backupOnTopOfThoseOfLonghornIsRestoredWithTheRightContent() throws Exception {
    MemoryObjectStore theirs = LonghornFixture.store(folder);
    byte[] content = Restored.bytes(theirs, LonghornFixture.SNAP2);
    content[5 * BLOCK + 17]++;
    ByteSource third = new ByteSource("u3", content, Optional.empty());
    WrittenBackup written =
        new LonghornBackupWriter(theirs, 2, time)
            .write(
                third.request("vol1", "backup-third"), third, LonghornBackupWriter.Progress.NONE);

    assertThat(written.reason()).isEqualTo("its snapshot is another one");
    assertThat(written.newBytes()).isPositive().isLessThan(BLOCK + (64 << 10));
    assertThat(Restored.bytes(theirs, new BackupName("vol1", "backup-third"))).isEqualTo(content);
    StoredVolume volume = new LonghornBackups(theirs).volume("vol1");
    assertThat(volume.lastBackup()).isEqualTo("backup-third");
    assertThat(LonghornFixture.text(theirs, LonghornKeys.volumeConfig("vol1")))
        .contains("\"StorageClassName\":\"\\\"0\\\"\"");
  }

  @ParameterizedTest
  @EnumSource(value = Compression.class, mode = EnumSource.Mode.EXCLUDE, names = "ZSTD")
  void eachCompressionIsReadBack(Compression compression) throws Exception {
    ByteSource source = new ByteSource("u1", content(3 * BLOCK), Optional.empty());
    BackupRequest request = source.request("vol1", "backup-1");
    request =
        new BackupRequest(
            request.name(),
            request.snapshot(),
            request.snapshotUid(),
            Instant.EPOCH,
            Map.of("app", "db"),
            false,
            BLOCK,
            compression,
            RecordedImage.NONE);
    WrittenBackup written = writer().write(request, source, LonghornBackupWriter.Progress.NONE);

    assertThat(written.summary().compression()).isEqualTo(compression);
    assertThat(Restored.bytes(store, request.name())).isEqualTo(source.content);
    assertThat(LonghornFixture.text(store, LonghornKeys.backupConfig(request.name())))
        .contains("\"Labels\":{\"app\":\"db\"}");
  }

  @Test
  void incrementalBackupReadsAndSendsChangedBlocksOnly() throws Exception {
    ByteSource first = new ByteSource("u1", content(16 * BLOCK), Optional.empty());
    write(first, "backup-1");
    ByteSource second = next(first, "u2", 3 * BLOCK, 7 * BLOCK + 99);
    WrittenBackup written = write(second, "backup-2");

    assertThat(written.base()).isEqualTo("backup-1");
    assertThat(written.reason()).isEmpty();
    assertThat(written.summary().incremental()).isTrue();
    assertThat(second.readBytes).hasValue(2L * BLOCK);
    assertThat(Restored.bytes(store, new BackupName("vol1", "backup-2"))).isEqualTo(second.content);
    assertThat(Restored.bytes(store, new BackupName("vol1", "backup-1"))).isEqualTo(first.content);
  }

  @Test
  void snapshotOfTheSameNameWithAnotherUidIsNotTrusted() throws Exception {
    ByteSource first = new ByteSource("u1", content(8 * BLOCK), Optional.empty());
    write(first, "backup-1");
    byte[] other = content(8 * BLOCK);
    ByteSource impostor = new ByteSource("u1-again", first.content, Optional.empty());
    ByteSource second = new ByteSource("u2", other, Optional.of(impostor));
    WrittenBackup written = write(second, "backup-2");

    assertThat(written.base()).isEmpty();
    assertThat(Restored.bytes(store, new BackupName("vol1", "backup-2"))).isEqualTo(other);
  }

  @Test
  void zeroesTakeNoBlockAndErasedBlockDisappears() throws Exception {
    ByteSource first = new ByteSource("u1", content(4 * BLOCK), Optional.empty());
    first.content[3 * BLOCK] = 1;
    write(first, "backup-1");
    byte[] erased = first.content.clone();
    Arrays.fill(erased, 3 * BLOCK, 4 * BLOCK, (byte) 0);
    write(new ByteSource("u2", erased, Optional.of(first)), "backup-2");
    BackupName name = new BackupName("vol1", "backup-2");

    assertThat(Restored.bytes(store, name)).isEqualTo(erased);
    BlockList blocks = new LonghornBackups(store).backup(name).blocks();
    assertThat(blocks.offset(blocks.size() - 1)).isLessThan(3L * BLOCK);
  }

  @Test
  void sizeThatIsNotAMultipleOfTheBlockIsPaddedThereAndExactHere() throws Exception {
    ByteSource first = new ByteSource("u1", content(2 * BLOCK + 4096), Optional.empty());
    first.content[2 * BLOCK + 4095] = 9;
    write(first, "backup-1");
    byte[] grown = Arrays.copyOf(first.content, 5 * BLOCK + 8192);
    grown[5 * BLOCK + 8191] = 7;
    write(new ByteSource("u2", grown, Optional.of(first)), "backup-2");

    assertThat(new LonghornBackups(store).volume("vol1").sizeBytes()).isEqualTo(6L * BLOCK);
    assertThat(Restored.bytes(store, new BackupName("vol1", "backup-1"))).isEqualTo(first.content);
    assertThat(Restored.bytes(store, new BackupName("vol1", "backup-2"))).isEqualTo(grown);
  }

  @Test
  void blockThatTheTargetLostIsSentAgain() throws Exception {
    ByteSource first = new ByteSource("u1", content(8 * BLOCK), Optional.empty());
    write(first, "backup-1");
    store.delete(LonghornFixture.blocks(store).subList(0, 2));
    write(next(first, "u2", 9), "backup-2");

    assertThat(Restored.bytes(store, new BackupName("vol1", "backup-2"))[9])
        .isEqualTo((byte) (first.content[9] + 1));
  }

  @Test
  void fullBackupSendsKnownBlocksAgain() throws Exception {
    ByteSource first = new ByteSource("u1", content(4 * BLOCK), Optional.empty());
    write(first, "backup-1");
    String damaged = LonghornFixture.blocks(store).get(0);
    LonghornFixture.put(store, damaged, new byte[100]);
    BackupRequest request = first.request("vol1", "backup-2");
    WrittenBackup written =
        writer()
            .write(
                new BackupRequest(
                    request.name(),
                    "s",
                    "u1",
                    Instant.EPOCH,
                    Map.of(),
                    true,
                    BLOCK,
                    Compression.LZ4,
                    RecordedImage.NONE),
                first,
                LonghornBackupWriter.Progress.NONE);

    assertThat(written.repeatedBytes()).isPositive();
    assertThat(Restored.bytes(store, request.name())).isEqualTo(first.content);
  }

  @Test
  void laterBackupTakesCompressionAndBlockSizeOfTheVolume() throws Exception {
    ByteSource first = new ByteSource("u1", content(4 * BLOCK), Optional.empty());
    write(first, "backup-1");
    BackupRequest request = first.request("vol1", "backup-2");
    WrittenBackup written =
        writer()
            .write(
                new BackupRequest(
                    request.name(),
                    "s",
                    "u1",
                    Instant.EPOCH,
                    Map.of(),
                    false,
                    16 << 20,
                    Compression.GZIP,
                    RecordedImage.NONE),
                first,
                LonghornBackupWriter.Progress.NONE);

    assertThat(written.summary().blockSize()).isEqualTo(BLOCK);
    assertThat(written.summary().compression()).isEqualTo(Compression.LZ4);
    assertThat(written.newBytes()).isZero();
  }

  @Test
  void writtenBackupIsNotWrittenAgain() throws Exception {
    ByteSource first = new ByteSource("u1", content(4 * BLOCK), Optional.empty());
    write(first, "backup-1");
    long read = first.readBytes.get();

    assertThat(write(first, "backup-1").summary().name().backup()).isEqualTo("backup-1");
    assertThat(first.readBytes).hasValue(read);
  }

  @Test
  void targetThatReturnsAnotherConfigurationIsRejected() throws Exception {
    ByteSource first = new ByteSource("u1", content(2 * BLOCK), Optional.empty());
    write(first, "backup-1");
    String old = LonghornKeys.backupConfig(new BackupName("vol1", "backup-1"));
    String key = LonghornKeys.backupConfig(new BackupName("vol1", "backup-2"));
    FaultyObjectStore forgetful =
        new FaultyObjectStore(
            store,
            (call, asked) -> {
              if (call == FaultyObjectStore.Call.STAT
                  && asked.equals(key)
                  && store.stat(key).isPresent()) {
                LonghornFixture.put(
                    store, key, LonghornFixture.text(store, old).replace("backup-1", "backup-2"));
              }
            });
    ByteSource second = next(first, "u2", 0);

    assertThatThrownBy(
            () ->
                new LonghornBackupWriter(forgetful, 2, time)
                    .write(
                        second.request("vol1", "backup-2"),
                        second,
                        LonghornBackupWriter.Progress.NONE))
        .hasMessageContaining("another configuration than was written");
  }

  @Test
  void progressCanEndTheBackup() throws Exception {
    ByteSource source = new ByteSource("u1", content(4 * BLOCK), Optional.empty());

    assertThatThrownBy(
            () ->
                writer()
                    .write(
                        source.request("vol1", "backup-1"),
                        source,
                        (done, total) -> {
                          throw new StorageException(ErrorCode.BUSY, "cancelled");
                        }))
        .hasMessage("cancelled");
    assertThat(
            new LonghornBackups(store)
                .summary(new LonghornBackups(store).volume("vol1"), "backup-1")
                .inProgress())
        .isTrue();
  }

  @Test
  void namesThatTheLayoutCannotHoldAreRefused() {
    ByteSource source = new ByteSource("u1", new byte[BLOCK], Optional.empty());

    assertThatThrownBy(
            () ->
                writer()
                    .write(
                        source.request("v", "backup-1"),
                        source,
                        LonghornBackupWriter.Progress.NONE))
        .hasMessageContaining("volume \"v\": expected 2 to 200 letters");
  }
}
