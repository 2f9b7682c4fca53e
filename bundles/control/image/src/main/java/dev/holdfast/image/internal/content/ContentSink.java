package dev.holdfast.image.internal.content;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** Takes the content of a disk in ascending order and without gaps. */
public interface ContentSink {
  /** Takes bytes; all remaining ones. */
  void data(ByteBuffer bytes) throws StorageException;

  /** Takes zeroes. */
  void zeroes(long length) throws StorageException;
}
