package dev.holdfast.backupstore;

/** A complete backup with its blocks, ready to be read. Immutable. */
public final class StoredBackup {
  private final BackupSummary summary;
  private final long volumeSize;
  private final BlockList blocks;

  StoredBackup(BackupSummary summary, long volumeSize, BlockList blocks) {
    this.summary = summary;
    this.volumeSize = volumeSize;
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

  /** Returns how many blocks the backup has; the rest of the volume is zeroes. */
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
