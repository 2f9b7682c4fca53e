package dev.holdfast.engine.export;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * A secret of a host. {@link #toString} omits it, so that messages, logs and status never contain
 * it. Immutable.
 *
 * @since 1.0
 */
public final class ExportKey {
  private final String secret;

  /**
   * Creates a key.
   *
   * @param secret in the notation of the protocol, for example {@code DHHC-1:…}; not null, not
   *     empty
   */
  public ExportKey(String secret) {
    if (secret.isEmpty()) {
      throw new IllegalArgumentException("secret: must not be empty");
    }
    this.secret = secret;
  }

  /** Returns the secret, never null. */
  public String secret() {
    return secret;
  }

  /** Returns whether the other object is a key with the same secret; in constant time. */
  @Override
  public boolean equals(Object other) {
    return other instanceof ExportKey key && MessageDigest.isEqual(bytes(), key.bytes());
  }

  private byte[] bytes() {
    return secret.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public int hashCode() {
    return secret.hashCode();
  }

  /** Returns a text without the secret. */
  @Override
  public String toString() {
    return "ExportKey[hidden]";
  }
}
