package dev.holdfast.backup.internal.flatten;

import dev.holdfast.datapath.RegionCopy;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.SourceDisk;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Source of the content of a backup and, in ranges without blocks, of the image below it. For one
 * thread.
 *
 * <pre>
 *   backup      |  block |         |  block (zeroes)  |
 *   image   |   data   |    hole       |    data    |      end
 *   result  |img|  block | zeroes  |  block           | zeroes
 * </pre>
 */
public final class FlattenedSource implements RegionCopy.CopySource {
  /** Size of a cluster of the image, in bytes. A cluster is either data or zeroes. */
  public static final int CLUSTER = 64 << 10;

  private final RegionCopy.CopySource backup;
  private final SourceDisk image;
  private final BitSet data;

  /**
   * Joins a backup and an image.
   *
   * @param backup source that reports its zeroes as data
   * @param image below it
   * @param data clusters of the image that are not zeroes
   */
  public FlattenedSource(RegionCopy.CopySource backup, SourceDisk image, BitSet data) {
    this.backup = backup;
    this.image = image;
    this.data = data;
  }

  /** A range is either completely of the backup or completely of the image. */
  @Override
  public List<RegionCopy.Range> allocated(RegionCopy.Range within) throws StorageException {
    List<RegionCopy.Range> found = new ArrayList<>();
    long at = within.offset();
    for (RegionCopy.Range block : backup.allocated(within)) {
      addImage(at, block.offset(), found);
      found.add(block);
      at = block.end();
    }
    addImage(at, within.end(), found);
    return found;
  }

  private void addImage(long from, long to, List<RegionCopy.Range> found) {
    long end = Math.min(to, image.size());
    for (long at = from; at < end; ) {
      int cluster = data.nextSetBit((int) (at / CLUSTER));
      if (cluster < 0) {
        return;
      }
      long start = Math.max(at, (long) cluster * CLUSTER);
      long behind = Math.min(end, (long) data.nextClearBit(cluster) * CLUSTER);
      if (start < behind) {
        found.add(new RegionCopy.Range(start, behind - start));
      }
      at = Math.max(start, behind);
    }
  }

  @Override
  public void read(long offset, ByteBuffer target) throws StorageException {
    RegionCopy.Range wanted = new RegionCopy.Range(offset, target.remaining());
    if (!backup.allocated(wanted).isEmpty()) {
      backup.read(offset, target);
      return;
    }
    image.copy(
        offset,
        wanted.length(),
        new SourceDisk.Target() {
          @Override
          public void data(ByteBuffer bytes) {
            target.put(bytes);
          }

          @Override
          public void zeroes(long length) {
            for (long i = 0; i < length; i++) {
              target.put((byte) 0);
            }
          }
        });
  }

  @Override
  public boolean isDamage(StorageException failure) {
    return backup.isDamage(failure);
  }
}
