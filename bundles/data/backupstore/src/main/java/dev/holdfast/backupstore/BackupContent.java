package dev.holdfast.backupstore;

import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backupstore.internal.BlockWorkers;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/**
 * The content of a backup, read at any offset. Of a volume above a backing image it is only what
 * was written above the image, see {@link StoredBackup#image}; everything else reads as zeroes.
 * While it is open, a lock at the target excludes the deletion of its blocks. Thread-safe; each
 * thread reads by a cursor of its own.
 */
public final class BackupContent implements AutoCloseable {
  private final ObjectStore store;
  private final VolumeLock lock;
  private final StoredBackup backup;

  /** Completes when the target admits the lock, or fails. */
  private final CompletableFuture<Void> admission;

  private BackupContent(
      ObjectStore store, VolumeLock lock, StoredBackup backup, CompletableFuture<Void> admission) {
    this.store = store;
    this.lock = lock;
    this.backup = backup;
    this.admission = admission;
  }

  /**
   * Opens a backup after its lock is admitted, which takes 2 s.
   *
   * @param store the target, which the caller closes after the content, not null
   * @param name of volume and backup, not null
   * @return the content, which the caller closes, never null
   * @throws StorageException BUSY while a deletion has locked the volume; as {@link
   *     LonghornBackups#backup}
   */
  public static BackupContent open(ObjectStore store, BackupName name) throws StorageException {
    return open(store, name, LockTiming.SYSTEM);
  }

  static BackupContent open(ObjectStore store, BackupName name, LockTiming timing)
      throws StorageException {
    return openAtOnce(store, name, timing, Runnable::run);
  }

  /**
   * Opens a backup at once. Its lock is admitted while it is read already. The bytes are right in
   * any case, because each block is compared with its checksum; a block is called damaged only
   * after the lock was admitted.
   *
   * @param store the target, which the caller closes after the content, not null
   * @param name of volume and backup, not null
   * @param timing of the lock, not null
   * @param threads run the admission, which waits 2 s, not null
   * @return the content, which the caller closes, never null
   * @throws StorageException as {@link #open(ObjectStore, BackupName)}, but BUSY comes with a later
   *     read
   */
  public static BackupContent openAtOnce(
      ObjectStore store, BackupName name, LockTiming timing, Executor threads)
      throws StorageException {
    return openAtOnce(store, new LonghornBackups(store), name, timing, threads);
  }

  /**
   * Opens a backup of any layout at once, otherwise as {@link #openAtOnce(ObjectStore, BackupName,
   * LockTiming, Executor)}.
   *
   * @param store the target, which the caller closes after the content, not null
   * @param backups of that target, not null
   * @param name of volume and backup, not null
   * @param timing of the lock, not null
   * @param threads run the admission, which waits 2 s, not null
   * @return the content, which the caller closes, never null
   * @throws StorageException as {@link #open(ObjectStore, BackupName)}, but BUSY comes with a later
   *     read
   */
  public static BackupContent openAtOnce(
      ObjectStore store,
      BackupCatalog backups,
      BackupName name,
      LockTiming timing,
      Executor threads)
      throws StorageException {
    // A backup that does not exist gets no lock.
    var unused = backups.backup(name);
    VolumeLock lock = VolumeLock.begin(store, name.volume(), VolumeLock.Type.BACKUP, timing);
    boolean complete = false;
    try {
      CompletableFuture<Void> admission = CompletableFuture.runAsync(() -> admit(lock), threads);
      if (admission.isDone()) {
        await(admission);
      }
      StoredBackup backup = backups.backup(name);
      BackupContent content = new BackupContent(store, lock, backup, admission);
      complete = true;
      return content;
    } finally {
      if (!complete) {
        lock.close();
      }
    }
  }

  private static void admit(VolumeLock lock) {
    try {
      lock.complete();
    } catch (StorageException e) {
      throw new CompletionException(e);
    }
  }

  private static void await(CompletableFuture<Void> admission) throws StorageException {
    try {
      admission.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StorageException known
          ? known
          : new StorageException(ErrorCode.INTERNAL, "locking a backup failed: " + e.getCause(), e);
    }
  }

  /** Returns the backup, never null. */
  public StoredBackup backup() {
    return backup;
  }

  /**
   * Returns how many cursors fit into memory: fewer than asked for if their buffers would take an
   * eighth of the heap, but at least one.
   *
   * @param wanted number of cursors, positive
   */
  public int affordable(int wanted) {
    return BlockWorkers.affordable(wanted, 2L * backup.summary().blockSize());
  }

  /** Returns a new cursor, which needs memory for two blocks. */
  public Cursor cursor() {
    return new Cursor();
  }

  /**
   * Visits the parts of a range that may have bytes other than zero, ascending.
   *
   * @param offset of the range
   * @param length of the range, which may end behind the content
   * @param visitor receives the parts, not null
   */
  public void allocated(long offset, long length, BackupSource.RangeVisitor visitor) {
    long end = Math.min(offset + length, backup.volumeSizeBytes());
    BlockList blocks = backup.blocks();
    for (int i = blocks.firstEndingBehind(offset, backup.summary().blockSize());
        i < blocks.size() && blocks.offset(i) < end;
        i++) {
      long from = Math.max(offset, blocks.offset(i));
      long to = Math.min(end, blocks.offset(i) + backup.summary().blockSize());
      visitor.range(from, to - from);
    }
  }

  /**
   * Returns whether a volume has the bytes of a block already. Where the backup has no block, the
   * answer is false: such bytes are zeroes.
   *
   * @param offset of the block, a multiple of the block size
   * @param bytes of the volume from there, to the end of the block or of the volume, not null
   */
  public boolean isEqual(long offset, ByteBuffer bytes) {
    if (!backup.hasBlock(offset)) {
      return false;
    }
    int size = backup.summary().blockSize();
    MessageDigest digest = backup.places().digest();
    int missing = size - bytes.remaining();
    digest.update(bytes);
    digest.update(new byte[missing]);
    int index = backup.blocks().firstEndingBehind(offset, size);
    return BlockList.Hash.of(digest.digest()).equals(backup.blocks().hash(index));
  }

  /**
   * Refreshes the lease of the lock if it is time; for contents that are not read for a minute.
   *
   * @throws StorageException CONFLICT when the lock was lost; BUSY when it was not admitted; what
   *     the target throws
   */
  public void keep() throws StorageException {
    if (admission.isDone()) {
      await(admission);
    }
    lock.keep();
  }

  /** Releases the lock. */
  @Override
  public void close() {
    lock.close();
  }

  /** Reads the content. Keeps the block that was read last. Used by one thread at a time. */
  public final class Cursor {
    private final BlockReader reader = new BlockReader(store, backup);
    private final LastBlock last = new LastBlock();

    private Cursor() {}

    /**
     * Reads bytes.
     *
     * @param offset of the first one
     * @param target is filled from its position to its limit, not null
     * @throws DamagedBlockException for a block that is missing or has other bytes
     * @throws StorageException as {@link #keep}
     */
    public void read(long offset, ByteBuffer target) throws StorageException {
      keep();
      long at = offset;
      while (target.hasRemaining()) {
        long inBlock = at % backup.summary().blockSize();
        long block = at - inBlock;
        long rest = backup.summary().blockSize() - inBlock;
        int length = (int) Math.min(target.remaining(), rest);
        ByteBuffer part = target.slice(target.position(), length);
        fill(block, (int) inBlock, part);
        target.position(target.position() + length);
        at += length;
      }
    }

    private void fill(long block, int from, ByteBuffer part) throws StorageException {
      int index = backup.blocks().firstEndingBehind(block, backup.summary().blockSize());
      boolean present = index < backup.blocks().size() && backup.blocks().offset(index) == block;
      if (!present) {
        while (part.hasRemaining()) {
          part.put((byte) 0);
        }
        return;
      }
      if (last.offset != block) {
        last.offset = -1;
        load(index);
      }
      part.put(last.bytes.slice(from, part.remaining()));
    }

    private void load(int index) throws StorageException {
      boolean admitted = admission.isDone();
      try {
        reader.read(index, last);
      } catch (DamagedBlockException e) {
        if (admitted) {
          throw e;
        }
        await(admission);
        reader.read(index, last);
      }
    }
  }

  /** Keeps the block that was read last, whose bytes are valid until the next is read. */
  private final class LastBlock implements BlockSink {
    private long offset = -1;
    private ByteBuffer bytes = ByteBuffer.allocate(0);

    @Override
    public void block(long blockOffset, ByteBuffer content) {
      offset = blockOffset;
      bytes = content;
    }

    @Override
    public void damaged(DamagedBlock block) throws StorageException {
      throw new DamagedBlockException(backup.summary().name(), block);
    }
  }
}
