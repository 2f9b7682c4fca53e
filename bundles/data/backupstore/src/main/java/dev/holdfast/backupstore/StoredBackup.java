package dev.holdfast.backupstore;

import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backupstore.internal.BlockPool;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/** A complete backup with its blocks, ready to be read. Immutable. */
public final class StoredBackup {
  private static final int CHECKSUM_BYTES = 32;

  private final BackupSummary summary;
  private final RecordedImage image;
  private final long volumeSize;
  private final BlockList blocks;
  private final BlockPlaces places;

  StoredBackup(
      BackupSummary summary,
      StoredVolume volume,
      long volumeSize,
      String imageContent,
      BlockList blocks) {
    this(
        summary,
        volume.backingImage().isEmpty()
            ? RecordedImage.NONE
            : new RecordedImage(volume.backingImage(), volume.backingImageChecksum(), imageContent),
        volumeSize,
        blocks,
        new LonghornPlaces(summary, blocks));
  }

  private StoredBackup(
      BackupSummary summary,
      RecordedImage image,
      long volumeSize,
      BlockList blocks,
      BlockPlaces places) {
    this.summary = summary;
    this.image = image;
    this.volumeSize = volumeSize;
    this.blocks = blocks;
    this.places = places;
  }

  /**
   * Returns a backup of a layout that has places of its own.
   *
   * @param summary whose size of the volume is exact, not null
   * @param image below the volume, not null
   * @param offsets of the blocks; the backup owns the array; not null
   * @param checksums of 32 bytes for each block; the backup owns the array; not null
   * @param places of the blocks, not null
   * @throws StorageException IO for offsets that are out of order or not those of blocks
   */
  public static StoredBackup of(
      BackupSummary summary,
      RecordedImage image,
      long[] offsets,
      byte[] checksums,
      BlockPlaces places)
      throws StorageException {
    BlockList blocks =
        BlockList.of(
            "backup " + summary.name(),
            offsets,
            checksums,
            summary.blockSize(),
            summary.volumeSizeBytes());
    return new StoredBackup(summary, image, summary.volumeSizeBytes(), blocks, places);
  }

  /** Returns the configuration without the blocks, never null. */
  public BackupSummary summary() {
    return summary;
  }

  /** Returns the size of the volume in bytes. */
  public long volumeSizeBytes() {
    return volumeSize;
  }

  /**
   * Returns the name of the image below the volume, empty for none: where the backup has no block,
   * the volume has the bytes of the image.
   */
  public String backingImage() {
    return image.name();
  }

  /** Returns the image below the volume as the backup records it, never null. */
  public RecordedImage image() {
    return image;
  }

  /**
   * Returns a checksum of the content: of the size and of each block with its place, never null.
   * Two backups of a volume without an image that have the same one have the same bytes.
   */
  public String contentChecksum() {
    MessageDigest digest = BlockPool.digest();
    digest.update(
        ByteBuffer.allocate(2 * Long.BYTES).putLong(volumeSize).putLong(blockSize()).flip());
    for (int i = 0; i < blocks.size(); i++) {
      digest.update(ByteBuffer.allocate(Long.BYTES).putLong(blocks.offset(i)).flip());
      digest.update(blocks.checksum(i).getBytes(StandardCharsets.US_ASCII));
    }
    return HexFormat.of().formatHex(digest.digest(), 0, CHECKSUM_BYTES);
  }

  /**
   * Returns whether the backup has a block, so that the bytes there are not all zero.
   *
   * @param offset of the block, a multiple of the block size
   */
  public boolean hasBlock(long offset) {
    int index = blocks.firstEndingBehind(offset, blockSize());
    return index < blocks.size() && blocks.offset(index) == offset;
  }

  /**
   * Visits the blocks that differ from those of another backup, ascending, also those that only one
   * of them has. Blocks behind the end of this backup are left out.
   *
   * @param other with blocks of the same size, not null
   * @param offset of the range that is compared, a multiple of the block size
   * @param length of the range
   * @param visitor receives each block, the last one as far as it belongs to the volume, not null
   * @throws IllegalArgumentException for blocks of another size
   */
  public void differing(
      StoredBackup other, long offset, long length, BackupSource.RangeVisitor visitor) {
    if (other.blockSize() != blockSize()) {
      throw new IllegalArgumentException("blocks of " + other.blockSize() + " bytes");
    }
    long end = Math.min(offset + length, volumeSize);
    int mine = blocks.firstEndingBehind(offset, blockSize());
    int others = other.blocks.firstEndingBehind(offset, blockSize());
    while (true) {
      long here = offsetAt(blocks, mine);
      long there = offsetAt(other.blocks, others);
      long next = Math.min(here, there);
      if (next >= end) {
        return;
      }
      boolean equal = here == there && blocks.hash(mine).equals(other.blocks.hash(others));
      if (!equal) {
        visitor.range(next, lengthAt(next));
      }
      mine += here == next ? 1 : 0;
      others += there == next ? 1 : 0;
    }
  }

  private static long offsetAt(BlockList list, int index) {
    return index < list.size() ? list.offset(index) : Long.MAX_VALUE;
  }

  private int blockSize() {
    return summary.blockSize();
  }

  /** Returns how many blocks the backup has; the rest is zeroes, or the image. */
  public int blockCount() {
    return blocks.size();
  }

  BlockList blocks() {
    return blocks;
  }

  BlockPlaces places() {
    return places;
  }

  /** Returns how many bytes of a block belong to the volume: the last one may be padded. */
  int lengthAt(long offset) {
    return (int) Math.min(summary.blockSize(), volumeSize - offset);
  }
}
