package dev.holdfast.image.internal.content;

import dev.holdfast.error.StorageException;

/** Content of a disk. */
@FunctionalInterface
public interface ContentSource {
  /** Copies the whole content to a sink, from its beginning. */
  void copyTo(ContentSink sink) throws StorageException;
}
