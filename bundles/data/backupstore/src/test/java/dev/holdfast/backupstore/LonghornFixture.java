package dev.holdfast.backupstore;

import dev.holdfast.backupstore.testkit.LonghornBackupstore;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Backups that the real Longhorn wrote, in a store of the test. */
final class LonghornFixture {
  static final BackupName SNAP1 =
      new BackupName(LonghornBackupstore.VOLUME, LonghornBackupstore.FIRST);
  static final BackupName SNAP2 =
      new BackupName(LonghornBackupstore.VOLUME, LonghornBackupstore.SECOND);

  private LonghornFixture() {}

  /** Unpacks the fixture below a folder and returns a store with its objects. */
  static MemoryObjectStore store(Path folder) throws Exception {
    MemoryObjectStore store = new MemoryObjectStore(Clock.systemUTC());
    Path root = LonghornBackupstore.unpackedIn(folder).root();
    try (Stream<Path> files = Files.walk(root.resolve("backupstore"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        put(store, root.relativize(file).toString(), Files.readAllBytes(file));
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
}
