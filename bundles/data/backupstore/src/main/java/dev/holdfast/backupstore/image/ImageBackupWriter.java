package dev.holdfast.backupstore.image;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.LockTiming;
import dev.holdfast.backupstore.LonghornBackupWriter;
import dev.holdfast.backupstore.VolumeLock;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.StorageException;
import java.util.Objects;

/**
 * Writes backups of images in Longhorn's layout. Blocks that the target has of any image are not
 * sent. Thread-safe.
 *
 * <pre>
 *   lock -> backing-image.cfg without a time -> blocks -> backing-image.cfg -> read back
 * </pre>
 *
 * <p>A crash at any step leaves no visible backup without its blocks. Writing the same backup again
 * completes it.
 */
public final class ImageBackupWriter {
  private final ObjectStore store;
  private final int threads;
  private final LockTiming timing;

  /**
   * Creates a writer.
   *
   * @param store the target, which the caller closes, not null
   * @param threads how many blocks are handled at a time, positive; fewer are if their buffers
   *     would take more than an eighth of the memory
   * @param timing of locks, not null
   */
  public ImageBackupWriter(ObjectStore store, int threads, LockTiming timing) {
    this.store = Objects.requireNonNull(store, "store");
    this.threads = threads;
    this.timing = Objects.requireNonNull(timing, "timing");
  }

  /**
   * Writes a backup and reads its configuration back. Returns at once if the target has it already,
   * with all its blocks.
   *
   * @param request names and describes the backup, not null
   * @param source the content of the image, not null
   * @param progress receives the progress, not null
   * @return the backup as the target has it, never null
   * @throws StorageException ALREADY_EXISTS when the target has another image of this name; BUSY
   *     while a deletion has locked the images; CONFLICT when the lock was lost, UNREACHABLE or
   *     TIMEOUT of the target or the source: write it again later; INVALID for a name; IO when the
   *     target returns something else than was written
   */
  public StoredImage write(
      ImageBackupRequest request, ImageSource source, LonghornBackupWriter.Progress progress)
      throws StorageException {
    BackupName.check("image", request.image());
    try (VolumeLock lock =
        VolumeLock.acquire(store, ImageKeys.LOCK, VolumeLock.Type.BACKUP, timing)) {
      return new ImageBackupAttempt(store, lock, request, source, threads).run(progress);
    }
  }
}
