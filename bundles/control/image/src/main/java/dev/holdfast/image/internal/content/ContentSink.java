package dev.holdfast.image.internal.content;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** Receives the content of a disk in ascending order and without gaps. */
public interface ContentSink {
  /** Consumes all remaining bytes of a buffer. */
  void data(ByteBuffer bytes) throws StorageException;

  /** Consumes a run of zeroes. */
  void zeroes(long length) throws StorageException;
}
