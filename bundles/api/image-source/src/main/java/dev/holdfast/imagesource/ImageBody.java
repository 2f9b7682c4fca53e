package dev.holdfast.imagesource;

import java.io.InputStream;
import java.util.Objects;

/**
 * Bytes that a client sends.
 *
 * @param size number of bytes that the client announced, at least 1
 * @param bytes in order; reading waits for the client, and fails when it is gone
 */
public record ImageBody(long size, InputStream bytes) {
  /** Checks that nothing is missing. */
  public ImageBody {
    Objects.requireNonNull(bytes, "bytes");
    if (size < 1) {
      throw new IllegalArgumentException("size: must be at least 1: " + size);
    }
  }
}
