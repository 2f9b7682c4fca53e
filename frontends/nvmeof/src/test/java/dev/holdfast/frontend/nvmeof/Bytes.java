package dev.holdfast.frontend.nvmeof;

import java.nio.ByteBuffer;

/** Copies of parts of buffers. */
final class Bytes {
  private Bytes() {}

  static byte[] of(ByteBuffer buffer, int at, int length) {
    byte[] bytes = new byte[length];
    buffer.get(at, bytes);
    return bytes;
  }

  static byte[] all(ByteBuffer buffer) {
    return of(buffer, 0, buffer.capacity());
  }
}
