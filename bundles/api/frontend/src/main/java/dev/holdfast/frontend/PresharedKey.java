package dev.holdfast.frontend;

import java.util.Objects;

/**
 * A key that a client and a frontend share, for TLS 1.3 (RFC 8446, 2.2). Immutable.
 *
 * @since 1.4
 */
public final class PresharedKey {
  private final byte[] secret;
  private final Hash hash;

  /** The hash of a key, which determines the cipher suite. */
  public enum Hash {
    /** Suite TLS_AES_128_GCM_SHA256. */
    SHA_256,
    /** Suite TLS_AES_256_GCM_SHA384. */
    SHA_384
  }

  /**
   * Creates a key.
   *
   * @param secret bytes of the key, at least one, not null; copied
   * @param hash hash of the key, not null
   * @throws IllegalArgumentException when the secret is empty
   */
  public PresharedKey(byte[] secret, Hash hash) {
    if (secret.length == 0) {
      throw new IllegalArgumentException("a pre-shared key has at least one byte");
    }
    this.secret = secret.clone();
    this.hash = Objects.requireNonNull(hash, "hash");
  }

  /** Returns a copy of the key's bytes, never null. */
  public byte[] secret() {
    return secret.clone();
  }

  /** Returns the hash of the key, never null. */
  public Hash hash() {
    return hash;
  }

  /** Returns a text without the key. */
  @Override
  public String toString() {
    return "a pre-shared key for " + hash;
  }
}
