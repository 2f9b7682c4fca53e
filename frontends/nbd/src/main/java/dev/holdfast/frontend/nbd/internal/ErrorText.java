package dev.holdfast.frontend.nbd.internal;

import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;

/** Encodes the message of an error chunk. */
final class ErrorText {
  private static final int LONGEST = 256;

  private ErrorText() {}

  static byte[] of(StorageException failure) {
    return of(String.valueOf(failure.getMessage()));
  }

  static byte[] of(String message) {
    int end = Math.min(message.length(), LONGEST);
    while (true) {
      byte[] bytes = message.substring(0, end).getBytes(StandardCharsets.UTF_8);
      if (bytes.length <= LONGEST) {
        return bytes;
      }
      end -= Math.max(1, (bytes.length - LONGEST) / 4);
    }
  }
}
