package dev.holdfast.backupstore.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backupstore.Compression;
import dev.holdfast.backupstore.LonghornBackupWriter;
import dev.holdfast.backupstore.LonghornBackups;
import dev.holdfast.backupstore.TestTime;
import dev.holdfast.backupstore.VolumeLock;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Backups of images hold what they were made of, in Longhorn's layout, and share their blocks. */
class ImageBackupTest {
  private static final int BLOCK = 2 << 20;
  private static final String CONFIG =
      "backupstore/backing-images/backing-images/base/backing-image.cfg";
  private static final String BLOCKS = "backupstore/backing-images/blocks/";

  private final TestTime time = new TestTime();
  private final MemoryObjectStore store = new MemoryObjectStore(time);
  private final Random random = new Random(22);

  private byte[] random(int size) {
    byte[] bytes = new byte[size];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Five blocks: data, zeroes, the first block again, zeroes, and 4 KiB of data. */
  private byte[] content() {
    byte[] content = new byte[4 * BLOCK + 4096];
    byte[] first = random(BLOCK);
    System.arraycopy(first, 0, content, 0, BLOCK);
    System.arraycopy(first, 0, content, 2 * BLOCK, BLOCK);
    System.arraycopy(random(4096), 0, content, 4 * BLOCK, 4096);
    return content;
  }

  private static String sha512(byte[] content) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-512").digest(content));
  }

  private StoredImage write(String name, byte[] content, Compression compression)
      throws StorageException {
    ImageBackupRequest request =
        new ImageBackupRequest(name, "", "content", compression, Map.of("app", "db"));
    return new ImageBackupWriter(store, 2, time)
        .write(request, new ByteImage(content), LonghornBackupWriter.Progress.NONE);
  }

  private byte[] read(String name, long from) throws StorageException {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    try (ImageBackupContent content = ImageBackupContent.open(store, name, time)) {
      content.copyTo(
          from,
          new ImageBackupContent.Sink() {
            @Override
            public void data(ByteBuffer bytes) {
              byte[] piece = new byte[bytes.remaining()];
              bytes.get(piece);
              read.writeBytes(piece);
            }

            @Override
            public void zeroes(long length) {
              read.writeBytes(new byte[(int) length]);
            }
          });
    }
    return read.toByteArray();
  }

  private List<String> keys(String prefix) throws StorageException {
    List<String> keys = new ArrayList<>();
    store.list(prefix, "", object -> keys.add(object.key()));
    return keys;
  }

  private String text(String key) throws StorageException {
    byte[] bytes = new byte[(int) store.stat(key).orElseThrow().size()];
    store.get(key, 0, ByteBuffer.wrap(bytes));
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private void put(String key, String text) throws StorageException {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    store.put(key, List.of(bytes), PutOptions.REPLACE);
  }

  @ParameterizedTest
  @EnumSource(value = Compression.class, mode = EnumSource.Mode.EXCLUDE, names = "ZSTD")
  void imageIsReadBack(Compression compression) throws Exception {
    byte[] content = content();
    StoredImage written = write("base", content, compression);

    assertThat(written.blockCount()).isEqualTo(3);
    assertThat(written.summary().checksum()).isEqualTo(sha512(content));
    assertThat(keys(BLOCKS)).as("equal blocks are stored once").hasSize(2);
    assertThat(read("base", 0)).isEqualTo(content);
    assertThat(new LonghornBackups(store).volumes()).as("the lock is not a volume").isEmpty();
  }

  @Test
  void readingContinuesInsideABlock() throws Exception {
    byte[] content = content();
    write("base", content, Compression.LZ4);
    int from = 2 * BLOCK + 12_345;

    assertThat(read("base", from))
        .isEqualTo(java.util.Arrays.copyOfRange(content, from, content.length));
  }

  @Test
  void configurationHasTheFieldsOfLonghornInTheirOrder() throws Exception {
    write("base", content(), Compression.LZ4);

    assertThat(text(CONFIG))
        .matches(
            "\\{\"Name\":\"base\",\"Size\":\"8392704\",\"BlockCount\":\"3\",\"Checksum\":\"[0-9a-f]{128}\","
                + "\"Labels\":\\{\"app\":\"db\"},\"CompressionMethod\":\"lz4\","
                + "\"CreatedTime\":\"2026-11-20T12:00:..Z\",\"CompleteTime\":\"2026-11-20T12:00:..Z\","
                + "\"Secret\":\"\",\"SecretNamespace\":\"\",\"HoldfastContentChecksum\":\"content\","
                + "\"ProcessingBlocks\":\\{\"Blocks\":\\{}},\"Blocks\":\\[\\{\"Offset\":0,.*");
    assertThat(new LonghornImages(store).names()).containsExactly("base");
  }

  @Test
  void imageIsNotWrittenTwiceAndAnotherOneOfItsNameIsRefused() throws Exception {
    byte[] content = content();
    StoredImage first = write("base", content, Compression.LZ4);
    time.pause(Duration.ofMinutes(5));

    assertThat(write("base", content, Compression.GZIP).summary()).isEqualTo(first.summary());
    content[0]++;
    assertThatThrownBy(() -> write("base", content, Compression.LZ4))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_EXISTS))
        .hasMessageContaining(first.summary().checksum());
  }

  @Test
  void blockThatAnotherImageStoredByAnotherMethodIsRead() throws Exception {
    byte[] content = content();
    write("other", content, Compression.GZIP);
    write("base", content, Compression.LZ4);

    assertThat(keys(BLOCKS)).hasSize(2);
    assertThat(read("base", 0)).isEqualTo(content);
  }

  @Test
  void lostBlockIsSentAgainByTheNextBackup() throws Exception {
    byte[] content = content();
    write("base", content, Compression.LZ4);
    store.delete(keys(BLOCKS).subList(0, 1));

    assertThatThrownBy(() -> read("base", 0)).hasMessageContaining("is missing");
    write("base", content, Compression.LZ4);
    assertThat(read("base", 0)).isEqualTo(content);
  }

  @Test
  void alteredBlockIsNamed() throws Exception {
    write("base", content(), Compression.NONE);
    byte[] other = random(BLOCK);
    for (String key : keys(BLOCKS)) {
      store.put(key, List.of(ByteBuffer.wrap(other)), PutOptions.REPLACE);
    }

    assertThatThrownBy(() -> read("base", 0))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IO))
        .hasMessageContaining("offset 0")
        .hasMessageContaining("has other bytes");
  }

  @Test
  void deletionKeepsTheBlocksOfOtherImages() throws Exception {
    byte[] content = content();
    write("base", content, Compression.LZ4);
    byte[] other = content.clone();
    System.arraycopy(random(BLOCK), 0, other, BLOCK, BLOCK);
    write("other", other, Compression.LZ4);
    assertThat(keys(BLOCKS)).hasSize(3);

    ImageBackupRemoval removal = new ImageBackupRemoval(store, time);
    assertThat(removal.remove("other").blocks()).isEqualTo(1);
    assertThat(read("base", 0)).isEqualTo(content);
    assertThat(removal.remove("base").blocks()).isEqualTo(2);
    assertThat(removal.remove("base").kept()).isEmpty();
    assertThat(keys("backupstore/")).as("locks are released").isEmpty();
  }

  @Test
  void backupThatCannotBeReadKeepsAllBlocksAndADeadOneDoesNot() throws Exception {
    write("base", content(), Compression.LZ4);
    write("other", content(), Compression.LZ4);
    String config = text(CONFIG);
    put(CONFIG, "{");
    ImageBackupRemoval removal = new ImageBackupRemoval(store, time);
    assertThat(removal.remove("other").kept()).contains("base").contains("blocks are kept");

    put(CONFIG, config.replaceAll("\"CompleteTime\":\"[^\"]*\"", "\"CompleteTime\":\"\""));
    assertThatThrownBy(() -> read("base", 0)).hasMessageContaining("in progress");
    assertThat(removal.remove("other").kept()).contains("in progress");
    time.pause(VolumeLock.LEASE.multipliedBy(2));
    assertThat(removal.remove("other").blocks()).isEqualTo(4);
    assertThat(new LonghornImages(store).names()).isEmpty();
  }

  @Test
  void deletionWaitsForAReader() throws Exception {
    write("base", content(), Compression.LZ4);
    try (ImageBackupContent content = ImageBackupContent.open(store, "base", time)) {
      assertThat(content.image().blockCount()).isEqualTo(3);
      assertThatThrownBy(() -> new ImageBackupRemoval(store, time).remove("base"))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{\"Name\":\"base\"}",
        "{\"Name\":\"other\",\"Size\":\"4096\"}",
        "{\"Name\":\"base\",\"Size\":\"-1\"}",
        "{\"Name\":\"base\",\"Size\":\"9223372036854775807\"}",
        "{\"Name\":\"base\",\"Size\":\"4096\",\"Blocks\":{}}",
        "{\"Name\":\"base\",\"Size\":\"4096\",\"Blocks\":[1]}",
        "{\"Name\":\"base\",\"Size\":\"4096\",\"Blocks\":[{\"Offset\":0,\"BlockChecksum\":\"../x\"}]}",
        "{\"Name\":\"base\",\"Size\":\"4096\",\"CompressionMethod\":\"zstd\"}",
      })
  void impossibleConfigurationIsRefused(String config) throws Exception {
    put(CONFIG, config);

    assertThatThrownBy(() -> new LonghornImages(store).find("base"))
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> assertThat(e.code()).isIn(ErrorCode.IO, ErrorCode.UNSUPPORTED))
        .hasMessageContaining("base");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "../../volumes", "a/b", "..", "-a"})
  void impossibleNameIsRefused(String name) {
    assertThatThrownBy(() -> new LonghornImages(store).find(name))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID));
  }
}
