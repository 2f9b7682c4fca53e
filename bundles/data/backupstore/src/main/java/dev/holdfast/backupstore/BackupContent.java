package dev.holdfast.backupstore;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/**
 * The content of a backup, read at any offset. While it is open, a lock at the target excludes the
 * deletion of its blocks. Keeps the block that was read last. Used by one thread.
 */
public final class BackupContent implements AutoCloseable {
  private final VolumeLock lock;
  private final StoredBackup backup;
  private final BlockReader reader;
  private final LastBlock last = new LastBlock();

  private BackupContent(ObjectStore store, VolumeLock lock, StoredBackup backup) {
    this.lock = lock;
    this.backup = backup;
    this.reader = new BlockReader(store, backup);
  }

  /**
   * Opens a backup.
   *
   * @param store the target, which the caller closes after the content, not null
   * @param name of volume and backup, not null
   * @return the content, which the caller closes, never null
   * @throws StorageException BUSY while a deletion has locked the volume; UNSUPPORTED for a volume
   *     with a backing image, whose bytes are not in the backup; as {@link LonghornBackups#backup}
   */
  public static BackupContent open(ObjectStore store, BackupName name) throws StorageException {
    return open(store, name, LockTiming.SYSTEM);
  }

  static BackupContent open(ObjectStore store, BackupName name, LockTiming timing)
      throws StorageException {
    FileRestore.requireWhole(new LonghornBackups(store).backup(name));
    VolumeLock lock = VolumeLock.acquire(store, name.volume(), VolumeLock.Type.BACKUP, timing);
    boolean complete = false;
    try {
      StoredBackup backup = new LonghornBackups(store).backup(name);
      BackupContent content = new BackupContent(store, lock, backup);
      complete = true;
      return content;
    } finally {
      if (!complete) {
        lock.close();
      }
    }
  }

  /** Returns the backup, never null. */
  public StoredBackup backup() {
    return backup;
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
   * Reads bytes.
   *
   * @param offset of the first one
   * @param target is filled from its position to its limit, not null
   * @throws DamagedBlockException for a block that is missing or has other bytes
   * @throws StorageException CONFLICT when the lock was lost; what the target throws
   */
  public void read(long offset, ByteBuffer target) throws StorageException {
    lock.keep();
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
      reader.read(index, last);
    }
    part.put(last.bytes.slice(from, part.remaining()));
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

  /** Releases the lock. */
  @Override
  public void close() {
    lock.close();
  }
}
