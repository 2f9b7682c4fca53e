package dev.holdfast.image.internal.content;

import dev.holdfast.error.StorageException;

/** Content of a disk of which any range can be read. */
@FunctionalInterface
public interface RangeSource {
  /**
   * Copies a range to a sink, in ascending order and without gaps.
   *
   * @throws StorageException also if the content ends early; the copied part is right
   */
  void copyTo(long offset, long length, ContentSink sink) throws StorageException;
}
