package dev.holdfast.share;

import java.util.Objects;
import java.util.Optional;

/**
 * Key of an encrypted volume. The last four values count only when a blank volume is encrypted.
 *
 * @param value the passphrase, not empty
 * @param previous the passphrase before it, which opens a device whose key was not changed yet
 * @param cipher such as {@code aes-xts-plain64}
 * @param hash such as {@code sha256}
 * @param bits of the volume key
 * @param pbkdf how the passphrase becomes a key: {@code argon2id}, {@code argon2i} or {@code
 *     pbkdf2}
 */
public record ShareKey(
    String value, Optional<String> previous, String cipher, String hash, int bits, String pbkdf) {
  /** Checks that nothing is missing. */
  public ShareKey {
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(previous, "previous");
    Objects.requireNonNull(cipher, "cipher");
    Objects.requireNonNull(hash, "hash");
    Objects.requireNonNull(pbkdf, "pbkdf");
  }

  /** Tells nothing of the passphrases: records are printed where something fails. */
  @Override
  public String toString() {
    return "ShareKey[]";
  }
}
