package dev.holdfast.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Objects;
import java.util.zip.CRC32;

/**
 * Text of an access token: {@code hf_}, 256 random bits, and a checksum. The checksum detects
 * mistyped tokens without a look-up, and secret scanners use it to find tokens in other text.
 *
 * @param text the complete token, which only its user stores
 */
public record TokenSecret(String text) {
  /** Prefix of each token. */
  public static final String PREFIX = "hf_";

  private static final int BYTES = 32;
  private static final int BODY = 43;
  private static final int CHECKSUM = 8;

  /** Rejects null components. */
  public TokenSecret {
    Objects.requireNonNull(text, "text");
  }

  /** Returns a new token. */
  public static TokenSecret random() {
    byte[] secret = new byte[BYTES];
    new SecureRandom().nextBytes(secret);
    String body = Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
    return new TokenSecret(PREFIX + body + checksum(body));
  }

  /** Returns whether a text has the form of a token with a valid checksum. */
  public static boolean isWellFormed(String text) {
    if (text.length() != PREFIX.length() + BODY + CHECKSUM || !text.startsWith(PREFIX)) {
      return false;
    }
    String body = text.substring(PREFIX.length(), PREFIX.length() + BODY);
    return text.endsWith(checksum(body));
  }

  private static String checksum(String body) {
    CRC32 crc = new CRC32();
    crc.update(body.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().toHexDigits((int) crc.getValue());
  }

  /** Returns SHA-256 of the token as 64 hexadecimal digits, the form that the store keeps. */
  public String hash() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }

  /** Returns a text without the secret, so that logs cannot contain the secret. */
  @Override
  public String toString() {
    return PREFIX + "…";
  }
}
