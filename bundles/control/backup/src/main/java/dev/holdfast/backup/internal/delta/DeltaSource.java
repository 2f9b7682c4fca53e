package dev.holdfast.backup.internal.delta;

import dev.holdfast.backupstore.BackupContent;
import dev.holdfast.backupstore.StoredBackup;
import dev.holdfast.block.BlockDevice;
import dev.holdfast.datapath.RegionCopy;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Source of only those blocks of a backup that a volume lacks. If the volume's list of blocks is
 * unknown, each of its blocks is read and compared by its checksum. A partly copied region may be
 * copied again. Used by one thread.
 */
public final class DeltaSource implements RegionCopy.CopySource {
  private final RegionCopy.CopySource whole;
  private final BackupContent content;
  private final Optional<StoredBackup> base;
  private final BlockDevice volume;
  private ByteBuffer block = ByteBuffer.allocate(0);

  /**
   * Creates a source.
   *
   * @param whole source of the whole backup, for the same thread, not null
   * @param content of the backup, not null
   * @param base the backup whose content the volume has; empty if unknown
   * @param volume device that is compared if the base is unknown, not null
   */
  public DeltaSource(
      RegionCopy.CopySource whole,
      BackupContent content,
      Optional<StoredBackup> base,
      BlockDevice volume) {
    this.whole = whole;
    this.content = content;
    this.base = base;
    this.volume = volume;
  }

  @Override
  public List<RegionCopy.Range> allocated(RegionCopy.Range within) throws StorageException {
    return base.isPresent() ? differing(base.get(), within) : compared(within);
  }

  private List<RegionCopy.Range> differing(StoredBackup before, RegionCopy.Range within) {
    List<RegionCopy.Range> found = new ArrayList<>();
    content
        .backup()
        .differing(
            before,
            within.offset(),
            within.length(),
            (offset, length) -> found.add(new RegionCopy.Range(offset, length)));
    return found;
  }

  private List<RegionCopy.Range> compared(RegionCopy.Range within) throws StorageException {
    List<RegionCopy.Range> found = new ArrayList<>();
    int size = content.backup().summary().blockSize();
    if (block.capacity() != size) {
      block = ByteBuffer.allocateDirect(size);
    }
    for (long from = within.offset(); from < within.end(); from += size) {
      long offset = from;
      block.clear().limit((int) Math.min(size, within.end() - from));
      RegionCopy.Range range = new RegionCopy.Range(offset, block.remaining());
      if (content.backup().hasBlock(offset)) {
        RegionCopy.await(completion -> volume.read(offset, block, completion));
        block.flip();
      }
      if (!content.isEqual(offset, block)) {
        found.add(range);
      }
    }
    return found;
  }

  @Override
  public void read(long offset, ByteBuffer target) throws StorageException {
    whole.read(offset, target);
  }

  @Override
  public boolean isZero(RegionCopy.Range range) {
    return !content.backup().hasBlock(range.offset());
  }

  @Override
  public boolean isAboveBase() {
    return true;
  }

  @Override
  public boolean isDamage(StorageException failure) {
    return whole.isDamage(failure);
  }
}
