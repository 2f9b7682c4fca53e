package dev.holdfast.backupstore;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.StorageException;
import java.util.Objects;

/**
 * Writes backups in Longhorn's layout: only changed blocks are read if the snapshot of the last
 * backup can be compared, and blocks that the target has are not sent. Thread-safe.
 *
 * <pre>
 *   lock -> volume.cfg -> backup.cfg without a time -> blocks -> backup.cfg -> read back -> volume.cfg
 * </pre>
 *
 * <p>A crash at any step leaves no visible backup without its blocks. Writing the same backup again
 * completes it, and does not send blocks again that had arrived.
 */
public final class LonghornBackupWriter {
  private final ObjectStore store;
  private final int threads;
  private final LockTiming timing;

  /** Receives the progress of a backup that is being written. Called by several threads. */
  @FunctionalInterface
  public interface Progress {
    /** Ignores the progress. */
    Progress NONE = (done, total) -> {};

    /**
     * Receives how much of the parts that are to be read was read, compared and sent.
     *
     * @param doneBytes from 0 to the total
     * @param totalBytes of all parts
     * @throws StorageException to end the backup with this exception
     */
    void advanced(long doneBytes, long totalBytes) throws StorageException;
  }

  /**
   * Creates a writer.
   *
   * @param store the target, which the caller closes, not null
   * @param threads how many blocks of a backup are handled at a time, positive; fewer are if their
   *     buffers would take more than an eighth of the memory
   */
  public LonghornBackupWriter(ObjectStore store, int threads) {
    this(store, threads, LockTiming.SYSTEM);
  }

  /**
   * Creates a writer whose locks have another time.
   *
   * @param store as in the other constructor
   * @param threads as in the other constructor
   * @param timing of locks, not null
   */
  public LonghornBackupWriter(ObjectStore store, int threads, LockTiming timing) {
    this.store = Objects.requireNonNull(store, "store");
    this.threads = threads;
    this.timing = timing;
  }

  /**
   * Writes a backup and reads its configuration back. Returns at once if the target has it already,
   * with all its blocks.
   *
   * @param request names and describes the backup, not null
   * @param source its content, not null
   * @param progress receives the progress, not null
   * @return the backup as the target has it, never null
   * @throws StorageException BUSY while a deletion has locked the volume; CONFLICT when the lock
   *     was lost, UNREACHABLE or TIMEOUT of the target or the source: write it again later; INVALID
   *     for a name; IO when the target returns something else than was written
   */
  public WrittenBackup write(BackupRequest request, BackupSource source, Progress progress)
      throws StorageException {
    request.check();
    try (VolumeLock lock =
        VolumeLock.acquire(store, request.name().volume(), VolumeLock.Type.BACKUP, timing)) {
      return new BackupAttempt(store, lock, request, source, threads).run(progress);
    }
  }
}
