package dev.holdfast.backupstore.internal.packed;

import dev.holdfast.backupstore.BackupRequest;
import dev.holdfast.backupstore.BackupSource;
import dev.holdfast.backupstore.LockTiming;
import dev.holdfast.backupstore.LonghornBackupWriter;
import dev.holdfast.backupstore.VolumeLock;
import dev.holdfast.backupstore.WrittenBackup;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.StorageException;
import java.time.Instant;

/**
 * Writes backups in the packed layout. A crash at any step leaves no visible backup without its
 * chunks; writing the same backup again uses the packs that arrived. Thread-safe.
 */
public final class PackedWriter {
  private final ObjectStore store;
  private final int threads;
  private final LockTiming timing;

  /** Creates a writer; parameters as of {@link LonghornBackupWriter}. */
  public PackedWriter(ObjectStore store, int threads, LockTiming timing) {
    this.store = store;
    this.threads = threads;
    this.timing = timing;
  }

  /** Writes a backup and reads it back; otherwise as {@link LonghornBackupWriter#write}. */
  public WrittenBackup write(
      BackupRequest request, BackupSource source, LonghornBackupWriter.Progress progress)
      throws StorageException {
    String volume = request.name().volume();
    WrittenBackup written;
    Instant ended;
    try (VolumeLock lock = VolumeLock.acquire(store, volume, VolumeLock.Type.BACKUP, timing)) {
      written = new PackedAttempt(store, lock, request, source, threads).run(progress);
      ended = lock.targetTime();
    }
    new PackedRemoval(store, timing).collectDue(volume, ended);
    return written;
  }
}
