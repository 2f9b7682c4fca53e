package dev.holdfast.frontend.nvmeof.internal.auth;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Key derivation: RFC 5869, and the labels of RFC 8446 (7.1). */
final class Hkdf {
  /** Maximum size of a label or context in bytes. */
  static final int LONGEST = 255;

  private Hkdf() {}

  /** HKDF-Extract without a salt. */
  static byte[] extract(DhchapHash hash, byte[] key) {
    return hash.mac(new byte[hash.length()], key);
  }

  /** HKDF-Expand-Label to the size of the hash: the first block of the expansion. */
  static byte[] expandLabel(DhchapHash hash, byte[] key, String label, byte[] context) {
    byte[] name = ("tls13 " + label).getBytes(StandardCharsets.US_ASCII);
    if (name.length > LONGEST || context.length > LONGEST) {
      throw new IllegalArgumentException("a label or its context is longer than " + LONGEST);
    }
    ByteBuffer info = ByteBuffer.allocate(Short.BYTES + 2 + name.length + context.length);
    info.putShort((short) hash.length());
    info.put((byte) name.length).put(name).put((byte) context.length).put(context);
    return hash.mac(key, info.array(), new byte[] {1});
  }
}
