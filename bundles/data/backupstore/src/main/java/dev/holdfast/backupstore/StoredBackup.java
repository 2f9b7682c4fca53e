package dev.holdfast.backupstore;

import dev.holdfast.backupstore.internal.BlockList;

/** A complete backup with its blocks, ready to be read. Immutable. */
public final class StoredBackup {
  private final BackupSummary summary;
  private final StoredVolume volume;
  private final long volumeSize;
  private final String imageContent;
  private final BlockList blocks;

  StoredBackup(
      BackupSummary summary,
      StoredVolume volume,
      long volumeSize,
      String imageContent,
      BlockList blocks) {
    this.summary = summary;
    this.volume = volume;
    this.volumeSize = volumeSize;
    this.imageContent = imageContent;
    this.blocks = blocks;
  }

  /** Returns what the configuration says beside the blocks, never null. */
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
    return volume.backingImage();
  }

  /** Returns the image below the volume as the backup records it, never null. */
  public RecordedImage image() {
    return volume.backingImage().isEmpty()
        ? RecordedImage.NONE
        : new RecordedImage(volume.backingImage(), volume.backingImageChecksum(), imageContent);
  }

  /** Returns how many blocks the backup has; the rest is zeroes, or the image. */
  public int blockCount() {
    return blocks.size();
  }

  BlockList blocks() {
    return blocks;
  }

  /** Returns how many bytes of a block belong to the volume: the last one may be padded. */
  int lengthAt(long offset) {
    return (int) Math.min(summary.blockSize(), volumeSize - offset);
  }
}
