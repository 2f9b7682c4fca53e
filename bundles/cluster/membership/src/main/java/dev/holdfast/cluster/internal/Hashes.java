package dev.holdfast.cluster.internal;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Secrets are random and long, so that a plain SHA-256 protects them. */
final class Hashes {
  private Hashes() {}

  static String of(String secret) {
    return of(secret.getBytes(StandardCharsets.UTF_8));
  }

  static String of(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }

  /** Compares in constant time. */
  static boolean matches(String secret, String hash) {
    return MessageDigest.isEqual(
        of(secret).getBytes(StandardCharsets.US_ASCII), hash.getBytes(StandardCharsets.US_ASCII));
  }
}
