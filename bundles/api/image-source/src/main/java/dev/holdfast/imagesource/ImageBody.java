package dev.holdfast.imagesource;

import java.io.InputStream;
import java.util.Objects;

/**
 * Bytes that a client sends.
 *
 * @param size number of bytes that the client announced, at least 1
 * @param bytes the bytes in order; a read waits for the client and fails after a disconnect
 */
public record ImageBody(long size, InputStream bytes) {
  /** Rejects null components. */
  public ImageBody {
    Objects.requireNonNull(bytes, "bytes");
    if (size < 1) {
      throw new IllegalArgumentException("size: must be at least 1: " + size);
    }
  }
}
