package dev.holdfast.frontend.nvmeof.internal.auth;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A configured secret: {@code DHHC-1:<transformation>:<base64 of the key and its CRC-32>:} (Base
 * 2.0, 8.13.5.8). The transformation derives the key of one owner from it.
 */
final class DhchapSecret {
  private static final Pattern FORM =
      Pattern.compile("DHHC-1:0([0-3]):([A-Za-z0-9+/]{1,100}={0,2}):");
  private static final byte[] PURPOSE = "NVMe-over-Fabrics".getBytes(StandardCharsets.US_ASCII);

  private final Optional<DhchapHash> transformation;
  private final byte[] bytes;

  private DhchapSecret(Optional<DhchapHash> transformation, byte[] bytes) {
    this.transformation = transformation;
    this.bytes = bytes;
  }

  /**
   * Reads a secret.
   *
   * @throws IllegalArgumentException when the text is malformed; the message does not contain it
   */
  static DhchapSecret of(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("a secret is not of the form DHHC-1:00:...:");
    }
    byte[] bytes = CheckedBytes.of(matcher.group(2), "a secret");
    int length = bytes.length;
    if (length != 32 && length != 48 && length != 64) {
      throw new IllegalArgumentException("a secret has " + length + " bytes, not 32, 48 or 64");
    }
    return new DhchapSecret(DhchapHash.of(Integer.parseInt(matcher.group(1))), bytes);
  }

  /** Returns the key of an owner with this name. */
  byte[] key(String owner) {
    return transformation
        .map(hash -> hash.mac(bytes, owner.getBytes(StandardCharsets.UTF_8), PURPOSE))
        .orElse(bytes);
  }
}
