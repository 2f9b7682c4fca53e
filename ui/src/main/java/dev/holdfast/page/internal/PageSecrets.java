package dev.holdfast.page.internal;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;

/** Random secrets, and the hashes by which they are kept. Thread-safe. */
final class PageSecrets {
  private static final int BYTES = 32;

  private final SecureRandom random = new SecureRandom();

  /** Returns 256 random bits as text that an address and a cookie may contain. */
  String next() {
    byte[] secret = new byte[BYTES];
    random.nextBytes(secret);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
  }

  /** Returns the SHA-256 of a secret. A secret of 256 random bits needs no salt. */
  static String hash(String secret) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
