package dev.holdfast.host;

import java.util.Optional;

/**
 * Key that opens an encrypted device, and encrypts a blank one.
 *
 * @param value passphrase, not empty
 * @param previous previous passphrase, which opens a device whose key was not changed yet; such a
 *     device then receives {@code value}
 * @param cipher cipher in the notation of cryptsetup(8), such as {@code aes-xts-plain64}
 * @param hash hash in the notation of cryptsetup(8), such as {@code sha256}
 * @param bits size of the volume key in bits
 * @param pbkdf key derivation function: argon2id, argon2i or pbkdf2
 */
public record LuksKey(
    String value, Optional<String> previous, String cipher, String hash, int bits, String pbkdf) {

  /** Omits the passphrases, because records are printed in errors. */
  @Override
  public String toString() {
    return "LuksKey[" + cipher + ", " + hash + ", " + bits + ", " + pbkdf + "]";
  }
}
