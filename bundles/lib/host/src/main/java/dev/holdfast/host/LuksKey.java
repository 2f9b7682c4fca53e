package dev.holdfast.host;

import java.util.Optional;

/**
 * Key that opens an encrypted device, and encrypts a blank one.
 *
 * @param value the passphrase, not empty
 * @param previous the passphrase before it, which opens a device whose key was not changed yet;
 *     such a device gets {@code value} instead
 * @param cipher of cryptsetup(8), such as {@code aes-xts-plain64}
 * @param hash of cryptsetup(8), such as {@code sha256}
 * @param bits of the volume key
 * @param pbkdf how the passphrase becomes a key: {@code argon2id}, {@code argon2i} or {@code
 *     pbkdf2}
 */
public record LuksKey(
    String value, Optional<String> previous, String cipher, String hash, int bits, String pbkdf) {

  /** Omits the passphrases, because records are printed in errors. */
  @Override
  public String toString() {
    return "LuksKey[" + cipher + ", " + hash + ", " + bits + ", " + pbkdf + "]";
  }
}
