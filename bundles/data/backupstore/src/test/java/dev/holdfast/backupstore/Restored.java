package dev.holdfast.backupstore;

import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** Reads backups into memory. */
final class Restored {
  private Restored() {}

  static byte[] bytes(ObjectStore store, BackupName name) throws StorageException {
    StoredBackup backup = new LaidOutBackups(store).backup(name);
    byte[] content = new byte[(int) backup.volumeSizeBytes()];
    new BackupReading(store, 2)
        .all(
            backup,
            new BlockSink() {
              @Override
              public void block(long offset, ByteBuffer bytes) {
                bytes.get(content, (int) offset, bytes.remaining());
              }

              @Override
              public void damaged(DamagedBlock block) throws StorageException {
                throw new DamagedBlockException(name, block);
              }
            });
    return content;
  }
}
