package dev.holdfast.backupstore.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.testkit.FaultyObjectStore;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;

/** System backups at a target: killed writers, damaged and hostile archives. */
class SystemArchivesTest {
  private static final Instant TIME = Instant.parse("2026-11-29T05:00:00Z");
  private static final int MOST_CALLS = 20;

  private final MemoryObjectStore target = new MemoryObjectStore(Clock.systemUTC());
  private final SystemArchives backups = new SystemArchives(target);

  private static Map<String, String> files() {
    Map<String, String> files = new LinkedHashMap<>();
    files.put("settings/a.json", "{\"kind\":\"Setting\"}");
    files.put("volumes/v.json", "{\"kind\":\"Volume\"}");
    return files;
  }

  private static SystemBackupFile described(String uid) {
    return new SystemBackupFile("weekly", uid, TIME, 0, "", 2, 1, "mem://target");
  }

  /** A target that fails at one call and at each one after it. */
  private SystemArchives endedAt(int last) {
    int[] calls = {0};
    return new SystemArchives(
        new FaultyObjectStore(
            target,
            (call, key) -> {
              if (++calls[0] > last) {
                throw new StorageException(ErrorCode.UNREACHABLE, "ended");
              }
            }));
  }

  private List<String> keys() throws StorageException {
    List<String> keys = new ArrayList<>();
    target.list("", "", object -> keys.add(object.key()));
    return keys;
  }

  @Test
  void archiveComesBackAsItWasWritten() throws StorageException {
    SystemBackupFile written = backups.write(described("uid-1"), SystemArchive.pack(files()));
    assertThat(backups.names()).containsExactly("weekly");
    assertThat(backups.find("weekly")).contains(written);
    assertThat(SystemArchive.unpack(backups.archive(written))).containsExactlyEntriesOf(files());
    assertThat(backups.find("other")).isEmpty();
  }

  @Test
  void writerEndedAtEachCallIsRepeatedAndShowsNothingIncomplete() throws StorageException {
    byte[] archive = SystemArchive.pack(files());
    boolean whole = false;
    for (int last = 0; !whole; last++) {
      assertThat(last).isLessThan(MOST_CALLS);
      target.delete(keys());
      try {
        endedAt(last).write(described("uid-1"), archive);
        whole = true;
      } catch (StorageException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE);
      }
      if (backups.find("weekly").isPresent()) {
        assertThat(backups.archive(backups.find("weekly").get())).isEqualTo(archive);
      }
      SystemBackupFile written = backups.write(described("uid-1"), archive);
      assertThat(backups.archive(written)).isEqualTo(archive);
      assertThat(keys()).hasSize(2);
    }
  }

  @Test
  void deletionEndedAtEachCallIsRepeatedAndLeavesNothing() throws StorageException {
    byte[] archive = SystemArchive.pack(files());
    for (String uid : List.of("uid-1", "")) {
      boolean whole = false;
      for (int last = 0; !whole; last++) {
        assertThat(last).isLessThan(MOST_CALLS);
        backups.write(described("uid-1"), archive);
        try {
          endedAt(last).delete("weekly", uid);
          whole = true;
        } catch (StorageException e) {
          assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE);
        }
        backups.delete("weekly", uid);
        assertThat(keys()).isEmpty();
      }
    }
  }

  @Test
  void backupOfAnotherClusterWithTheSameNameStays() throws StorageException {
    byte[] archive = SystemArchive.pack(files());
    SystemBackupFile first = backups.write(described("uid-1"), archive);
    assertThatThrownBy(() -> backups.write(described("uid-2"), archive))
        .hasMessageContaining("choose another name");
    backups.delete("weekly", "uid-2");
    assertThat(backups.find("weekly")).contains(first);
    assertThat(backups.archive(first)).isEqualTo(archive);
  }

  @Test
  void eachFlippedByteOfTheArchiveIsFound() throws StorageException {
    byte[] archive = SystemArchive.pack(files());
    SystemBackupFile file = backups.write(described("uid-1"), archive);
    String key = keys().stream().filter(found -> found.endsWith(".zip")).findAny().orElseThrow();
    for (int i = 0; i < archive.length; i++) {
      byte[] flipped = archive.clone();
      flipped[i] ^= 0x10;
      target.put(key, List.of(ByteBuffer.wrap(flipped)), PutOptions.REPLACE);
      assertThat(catchThrowableOfType(StorageException.class, () -> backups.archive(file)).code())
          .isEqualTo(ErrorCode.IO);
      assertNeverOtherContent(flipped);
    }
  }

  /** Without the checksum of the description, damage may be harmless and never changes content. */
  private static void assertNeverOtherContent(byte[] archive) {
    try {
      assertThat(SystemArchive.unpack(archive)).isEqualTo(files());
    } catch (StorageException e) {
      assertThat(e.code()).isIn(ErrorCode.IO, ErrorCode.UNSUPPORTED);
    }
  }

  @Test
  void hostileDescriptionsAndArchivesAreRefused() throws StorageException, IOException {
    backups.write(described("uid-1"), SystemArchive.pack(files()));
    String key = keys().stream().filter(found -> found.endsWith(".json")).findAny().orElseThrow();
    for (String text :
        List.of(
            "",
            "[",
            "{\"version\":2}",
            "{\"name\":\"weekly\",\"createdAt\":\"never\"}",
            "{\"name\":\"other\",\"createdAt\":\"2026-11-29T05:00:00Z\"}",
            " ".repeat(100_000))) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      target.put(key, List.of(ByteBuffer.wrap(bytes)), PutOptions.REPLACE);
      assertThat(catchThrowableOfType(StorageException.class, () -> backups.find("weekly")).code())
          .as(text)
          .isIn(ErrorCode.IO, ErrorCode.UNSUPPORTED);
    }
    SystemBackupFile outside =
        new SystemBackupFile("weekly", "../uid", TIME, 1, "", 1, 1, "mem://target");
    assertThatThrownBy(() -> backups.archive(outside)).hasMessageContaining("expected 2 to 200");
    assertThatThrownBy(() -> SystemArchive.unpack(zip("large.json", 9 << 20)))
        .hasMessageContaining("larger than possible");
    assertThatThrownBy(() -> SystemArchive.unpack(zip("small.json", 1)))
        .hasMessageContaining("no manifest");
  }

  private static byte[] zip(String name, int size) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      zip.putNextEntry(new ZipEntry(name));
      zip.write(new byte[size]);
      zip.closeEntry();
    }
    return bytes.toByteArray();
  }
}
