package dev.holdfast.image.internal.content;

import dev.holdfast.error.StorageException;

/** Content of a disk of which any range can be read. */
@FunctionalInterface
public interface RangeSource {
  /**
   * Passes a range on, in ascending order and without gaps.
   *
   * @throws StorageException also when it ends early; what was passed on is right
   */
  void copyTo(long offset, long length, ContentSink sink) throws StorageException;
}
