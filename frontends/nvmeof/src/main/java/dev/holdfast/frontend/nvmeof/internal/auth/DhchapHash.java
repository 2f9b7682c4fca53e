package dev.holdfast.frontend.nvmeof.internal.auth;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Hash functions by the numbers of Base 2.0 (8.13.5), in order of preference. */
enum DhchapHash {
  SHA_512(3, 64, "SHA-512", "HmacSHA512"),
  SHA_384(2, 48, "SHA-384", "HmacSHA384"),
  SHA_256(1, 32, "SHA-256", "HmacSHA256");

  private final int id;
  private final int length;
  private final String digest;
  private final String mac;

  DhchapHash(int id, int length, String digest, String mac) {
    this.id = id;
    this.length = length;
    this.digest = digest;
    this.mac = mac;
  }

  static Optional<DhchapHash> of(int id) {
    for (DhchapHash hash : values()) {
      if (hash.id == id) {
        return Optional.of(hash);
      }
    }
    return Optional.empty();
  }

  int id() {
    return id;
  }

  /** Returns the size of a hash in bytes. */
  int length() {
    return length;
  }

  byte[] digest(byte[] data) {
    try {
      return MessageDigest.getInstance(digest).digest(data);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has " + digest, e);
    }
  }

  /** Returns the HMAC of the concatenated parts. */
  byte[] mac(byte[] key, byte[]... parts) {
    try {
      Mac hmac = Mac.getInstance(mac);
      hmac.init(new SecretKeySpec(key, mac));
      for (byte[] part : parts) {
        hmac.update(part);
      }
      return hmac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + mac, e);
    }
  }
}
