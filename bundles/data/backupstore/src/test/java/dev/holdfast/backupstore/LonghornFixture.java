package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** Backups that the real Longhorn wrote, in a store of the test. */
final class LonghornFixture {
  static final BackupName SNAP1 = new BackupName("vol1", "backup-0496a402e81d4902");
  static final BackupName SNAP2 = new BackupName("vol1", "backup-7966edeab6654a48");

  private LonghornFixture() {}

  /** Unpacks the fixture below a folder and returns a store with its objects. */
  static MemoryObjectStore store(Path folder) throws Exception {
    Path archive = folder.resolve("backupstore.tar.zst");
    try (InputStream resource =
        LonghornFixture.class.getResourceAsStream("/longhorn-v1/backupstore.tar.zst")) {
      Files.copy(resource, archive);
    }
    Process tar =
        new ProcessBuilder("tar", "--zstd", "-xf", archive.toString(), "-C", folder.toString())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).as("exit code of tar").isZero();
    MemoryObjectStore store = new MemoryObjectStore(Clock.systemUTC());
    Path root = folder.resolve("backupstore");
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        put(store, "backupstore/" + root.relativize(file), Files.readAllBytes(file));
      }
    }
    return store;
  }

  static void put(ObjectStore store, String key, byte[] content) throws StorageException {
    store.put(key, List.of(ByteBuffer.wrap(content)), PutOptions.REPLACE);
  }

  static void put(ObjectStore store, String key, String content) throws StorageException {
    put(store, key, content.getBytes(StandardCharsets.UTF_8));
  }

  static byte[] get(ObjectStore store, String key) throws StorageException {
    ByteBuffer content = ByteBuffer.allocate((int) store.stat(key).orElseThrow().size());
    store.get(key, 0, content);
    return content.array();
  }

  static String text(ObjectStore store, String key) throws StorageException {
    return new String(get(store, key), StandardCharsets.UTF_8);
  }

  /** Keys of the blocks of the fixture, in their order. */
  static List<String> blocks(ObjectStore store) throws StorageException {
    List<String> keys = new ArrayList<>();
    store.list(LonghornKeys.volumeFolder("vol1") + "blocks/", "", found -> keys.add(found.key()));
    return keys;
  }

  static String expectedSha256(String snapshot) throws IOException {
    try (InputStream resource =
        LonghornFixture.class.getResourceAsStream("/longhorn-v1/content.sha256")) {
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.endsWith(" " + snapshot))
          .findFirst()
          .orElseThrow()
          .substring(0, 64);
    }
  }

  static String sha256(Path file) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    try (InputStream content = new DigestInputStream(Files.newInputStream(file), digest)) {
      content.transferTo(OutputStream.nullOutputStream());
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
