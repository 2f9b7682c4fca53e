package dev.holdfast.frontend.nvmeof.internal.auth;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.CRC32;

/** Bytes of a secret, followed by their CRC-32, in base64, as tools write them. */
final class CheckedBytes {
  private CheckedBytes() {}

  /**
   * Returns the bytes.
   *
   * @param what name of the bytes for messages
   * @throws IllegalArgumentException when the checksum is wrong or missing
   */
  static byte[] of(String base64, String what) {
    byte[] all = Base64.getDecoder().decode(base64);
    int length = all.length - Integer.BYTES;
    if (length <= 0) {
      throw new IllegalArgumentException(what + " has no checksum");
    }
    byte[] bytes = Arrays.copyOf(all, length);
    CRC32 crc = new CRC32();
    crc.update(bytes);
    if (ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN).getInt(length)
        != (int) crc.getValue()) {
      throw new IllegalArgumentException(what + "'s checksum is wrong");
    }
    return bytes;
  }
}
