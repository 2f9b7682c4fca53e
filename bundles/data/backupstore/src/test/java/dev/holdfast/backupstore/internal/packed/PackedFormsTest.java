package dev.holdfast.backupstore.internal.packed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.Compression;
import dev.holdfast.backupstore.TestTime;
import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The objects of the packed layout, made by a hostile target. */
class PackedFormsTest {
  private static final int CHUNK = PackedFormat.SMALLEST_CHUNK;

  private final MemoryObjectStore store = new MemoryObjectStore(new TestTime());
  private final Random random = new Random(7);

  private ChunkList list(int chunks, boolean withZeroes) {
    ChunkList.Builder list = new ChunkList.Builder();
    List<String> packs = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      packs.add(Ulid.of(Instant.ofEpochSecond(1_700_000_000 + i)));
    }
    int number = 0;
    for (int i = 0; i < chunks; i++) {
      number += 1 + random.nextInt(3);
      if (withZeroes && random.nextInt(4) == 0) {
        list.addZeroes(number);
      } else {
        BlockList.Hash hash =
            new BlockList.Hash(random.nextLong(), random.nextLong(), random.nextLong(), i);
        list.add(
            number,
            hash,
            new ChunkList.Place(packs.get(random.nextInt(3)), 8 + random.nextInt(1 << 20), CHUNK));
      }
    }
    return list.build();
  }

  private static String text(ChunkList list) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < list.size(); i++) {
      text.append(list.number(i)).append(list.hash(i));
      text.append(list.isPlaced(i) ? list.place(i) : "zeroes").append('\n');
    }
    return text.toString();
  }

  @Test
  void mapsAreReadAsTheyWereWritten() throws Exception {
    ChunkMap form = new ChunkMap("backup v/b", CHUNK, ChunkMap.MOST_CHUNKS);
    for (int i = 0; i < 50; i++) {
      boolean full = random.nextBoolean();
      ChunkList list = list(random.nextInt(200), !full);
      ChunkMap.Text text = form.text(list, full);
      store.put("map", text.parts(), PutOptions.REPLACE);
      ChunkList read = form.read(store, "map", new ChunkMap.Expected(full, text.sha256()));
      assertThat(text(read)).isEqualTo(text(list));
      assertThat(read.root()).isEqualTo(list.root());
    }
  }

  @Test
  void changesReplaceAddAndRemoveChunks() {
    ChunkList.Place place = new ChunkList.Place(Ulid.of(Instant.EPOCH), 8, 10);
    BlockList.Hash old = new BlockList.Hash(1, 1, 1, 1);
    BlockList.Hash changed = new BlockList.Hash(2, 2, 2, 2);
    ChunkList.Builder base = new ChunkList.Builder();
    base.add(1, old, place);
    base.add(2, old, place);
    base.add(5, old, place);
    base.add(9, old, place);
    ChunkList.Builder changes = new ChunkList.Builder();
    changes.add(0, changed, place);
    changes.add(2, changed, place);
    changes.addZeroes(5);
    changes.addZeroes(7);
    ChunkList merged = base.build().with(changes.build(), 9);
    assertThat(merged.size()).isEqualTo(3);
    assertThat(List.of(merged.number(0), merged.number(1), merged.number(2)))
        .containsExactly(0, 1, 2);
    assertThat(merged.hash(2)).isEqualTo(changed);
    assertThat(merged.hash(1)).isEqualTo(old);
  }

  @Test
  void mapThatAnnouncesMoreThanItHasIsRefused() throws Exception {
    ByteBuffer hostile = ByteBuffer.allocate(64);
    hostile.put("HFMAP01\n".getBytes(StandardCharsets.US_ASCII));
    hostile.putInt(CHUNK).putInt(1).putInt(1).putInt(ChunkMap.MOST_CHUNKS).clear();
    store.put("map", List.of(hostile), PutOptions.REPLACE);
    ChunkMap form = new ChunkMap("backup v/b", CHUNK, ChunkMap.MOST_CHUNKS);
    assertThatThrownBy(() -> form.read(store, "map", new ChunkMap.Expected(true, "")))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IO))
        .hasMessageContaining("64 bytes instead of");
  }

  @Test
  void manifestWithImpossibleFieldsIsRefused() throws Exception {
    PackedFormat format =
        new PackedFormat("vol", CHUNK, Compression.LZ4, "2026-11-30T00:00:00Z", 1 << 20);
    BackupName name = new BackupName("vol", "backup");
    assertThat(Manifest.parse(open(manifest()), name, format).chunks()).isEqualTo(2);
    refused(manifest().put("chunks", 17), "field chunks: 17 is not from 0 to 16");
    refused(manifest().put("chunks", "2"), "field chunks is missing or has another type");
    refused(manifest().put("volumeSize", -1), "field volumeSize");
    refused(manifest().put("createdAt", "yesterday"), "field createdAt is not a time");
    refused(manifest().put("name", "other"), "is that of backup vol/other");
    refused(manifest().put("version", 2), "reads version 1");
    ObjectNode paths = manifest();
    paths.putArray("packs").add("../../x");
    refused(paths, "is not the id of a pack");
    ObjectNode without = manifest();
    without.remove("root");
    refused(without, "field root is missing");
    ObjectNode many = manifest();
    for (int i = 0; i < Manifest.MOST_MAPS; i++) {
      map(many);
    }
    refused(many, "at most 33 maps");
  }

  private void refused(ObjectNode fields, String why) {
    PackedFormat format =
        new PackedFormat("vol", CHUNK, Compression.LZ4, "2026-11-30T00:00:00Z", 1 << 20);
    assertThatThrownBy(() -> Manifest.parse(open(fields), new BackupName("vol", "backup"), format))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining(why);
  }

  private static SealedText open(ObjectNode fields) throws StorageException {
    return SealedText.open(SealedText.seal(fields).array(), "backup vol/backup");
  }

  private static void map(ObjectNode fields) {
    fields
        .withArray("maps")
        .addObject()
        .put("id", Ulid.of(Instant.EPOCH))
        .put("entries", 2)
        .put("sha256", "");
  }

  private static ObjectNode manifest() {
    ObjectNode fields =
        SealedText.create()
            .put("version", 1)
            .put("volume", "vol")
            .put("name", "backup")
            .put("snapshot", "s")
            .put("snapshotUid", "u")
            .put("snapshotCreatedAt", "2026-11-30T00:00:00Z")
            .put("createdAt", "2026-11-30T00:00:01Z")
            .put("volumeSize", 1 << 20)
            .put("incremental", false)
            .put("chunks", 2)
            .put("root", "r");
    fields.putObject("labels");
    fields.putObject("image").put("name", "").put("checksum", "").put("contentChecksum", "");
    fields.putArray("packs");
    map(fields);
    return fields;
  }

  @Test
  void formatOfALaterVersionNamesTheRemedy() throws Exception {
    PackedFormat format =
        new PackedFormat("vol", CHUNK, Compression.LZ4, "2026-11-30T00:00:00Z", 1 << 20);
    String later =
        new String(format.text().array(), StandardCharsets.UTF_8)
            .lines()
            .findFirst()
            .orElseThrow()
            .replace("\"none\"", "\"aes-256-gcm\"");
    ObjectNode fields = (ObjectNode) new ObjectMapper().readTree(later);
    assertThatThrownBy(() -> PackedFormat.parse(open(fields), "vol"))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
        .hasMessageContaining("update Holdfast");
  }

  @Test
  void largeVolumesHaveLargerChunks() {
    assertThat(PackedFormat.chunkSizeFor(1L << 36)).isEqualTo(64 << 10);
    assertThat(PackedFormat.chunkSizeFor(1L << 40)).isEqualTo(1 << 20);
    assertThat(PackedFormat.chunkSizeFor(1L << 50)).isEqualTo(16 << 20);
  }

  @Test
  void idsSortByTime() {
    String before = Ulid.of(Instant.ofEpochMilli(1_700_000_000_000L));
    String after = Ulid.of(Instant.ofEpochMilli(1_700_000_000_001L));
    assertThat(before).isLessThan(after);
    assertThat(Ulid.isValid(before)).isTrue();
    assertThat(Ulid.isValid(before.substring(1))).isFalse();
    assertThat(Ulid.isValid("../../../../../etc/passwd0")).isFalse();
  }
}
