package dev.holdfast.frontend.nvmeof.internal.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Digests of headers and data: CRC-32C, little-endian. */
public final class Digest {
  /** Size in bytes. */
  public static final int SIZE = 4;

  private Digest() {}

  /** Returns the digest of a range. */
  public static int of(ByteBuffer buffer, int at, int length) {
    CRC32C crc = new CRC32C();
    crc.update(buffer.slice(at, length));
    return (int) crc.getValue();
  }

  /** Writes the digest of a range behind it. */
  public static void append(ByteBuffer buffer, int at, int length) {
    Le.put32(buffer, at + length, of(buffer, at, length));
  }

  /** Returns whether the digest behind a range matches. */
  public static boolean matches(ByteBuffer buffer, int at, int length) {
    return Le.i32(buffer, at + length) == of(buffer, at, length);
  }
}
