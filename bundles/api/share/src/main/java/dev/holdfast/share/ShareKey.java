package dev.holdfast.share;

import java.util.Objects;
import java.util.Optional;

/**
 * Key of an encrypted volume. The last four values apply only to the encryption of a blank volume.
 *
 * @param value the passphrase, not empty
 * @param previous the previous passphrase, which opens a device whose key was not yet changed
 * @param cipher such as {@code aes-xts-plain64}
 * @param hash such as {@code sha256}
 * @param bits of the volume key
 * @param pbkdf key derivation function: {@code argon2id}, {@code argon2i} or PBKDF2
 */
public record ShareKey(
    String value, Optional<String> previous, String cipher, String hash, int bits, String pbkdf) {
  /** Rejects null components. */
  public ShareKey {
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(previous, "previous");
    Objects.requireNonNull(cipher, "cipher");
    Objects.requireNonNull(hash, "hash");
    Objects.requireNonNull(pbkdf, "pbkdf");
  }

  /** Returns a text without the passphrases, because records are printed in error reports. */
  @Override
  public String toString() {
    return "ShareKey[]";
  }
}
