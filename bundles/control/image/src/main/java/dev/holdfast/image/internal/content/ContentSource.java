package dev.holdfast.image.internal.content;

import dev.holdfast.error.StorageException;

/** Content of a disk. */
@FunctionalInterface
public interface ContentSource {
  /** Passes all of it on, from its beginning. */
  void copyTo(ContentSink sink) throws StorageException;
}
