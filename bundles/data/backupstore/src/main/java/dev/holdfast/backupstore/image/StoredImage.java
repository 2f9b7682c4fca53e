package dev.holdfast.backupstore.image;

import dev.holdfast.backupstore.Compression;
import dev.holdfast.backupstore.internal.BlockList;
import java.util.Map;
import java.util.Objects;

/** The backup of an image, as its configuration on the target describes it. Immutable. */
public final class StoredImage {
  private final Summary summary;
  private final BlockList blocks;

  /**
   * A backup without its list of blocks.
   *
   * @param name of the image, not null
   * @param sizeBytes size of the image's disk, more than 0
   * @param checksum SHA-512 of all bytes of the disk, not null
   * @param contentChecksum checksum by which clusters of Holdfast compare images, empty where
   *     another program wrote the backup, not null
   * @param createdAt when the backup was begun, as stored at the target, not null
   * @param completedAt when it was complete, empty while it is in progress, not null
   * @param compression by which its blocks were stored, not null
   * @param labels that its writer kept with it, not null
   */
  public record Summary(
      String name,
      long sizeBytes,
      String checksum,
      String contentChecksum,
      String createdAt,
      String completedAt,
      Compression compression,
      Map<String, String> labels) {
    /** Checks and copies the components. */
    public Summary {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(checksum, "checksum");
      Objects.requireNonNull(contentChecksum, "contentChecksum");
      Objects.requireNonNull(createdAt, "createdAt");
      Objects.requireNonNull(completedAt, "completedAt");
      Objects.requireNonNull(compression, "compression");
      labels = Map.copyOf(labels);
    }

    /** Returns whether its writer has not completed it, or died before. */
    public boolean inProgress() {
      return completedAt.isEmpty();
    }
  }

  StoredImage(Summary summary, BlockList blocks) {
    this.summary = summary;
    this.blocks = blocks;
  }

  /** Returns the configuration without the blocks, never null. */
  public Summary summary() {
    return summary;
  }

  /** Returns how many blocks the backup has; the rest of the image is zeroes. */
  public int blockCount() {
    return blocks.size();
  }

  BlockList blocks() {
    return blocks;
  }
}
