package dev.holdfast.certificates.files;

import dev.holdfast.certificates.internal.ClientKeys;
import dev.holdfast.error.StorageException;
import java.time.Instant;

/**
 * Key and certificate of a client of volumes. The certificate is self-signed, because the cluster
 * admits it by its fingerprint.
 *
 * @param certificate as PEM
 * @param key as PEM, not encrypted
 * @param fingerprint SHA-256 of the certificate in hexadecimal digits
 */
public record ClientCredential(String certificate, String key, String fingerprint) {

  /**
   * Creates a new key and its certificate.
   *
   * @param name of the client, not null
   * @param now start of its validity, not null
   * @param end of its validity, not null
   * @throws StorageException INTERNAL when the Java runtime lacks an algorithm
   */
  public static ClientCredential create(String name, Instant now, Instant end)
      throws StorageException {
    ClientKeys made = ClientKeys.create(name, now, end);
    return new ClientCredential(made.certificate(), made.key(), made.fingerprint());
  }

  /** Omits the key. */
  @Override
  public String toString() {
    return "certificate " + fingerprint;
  }
}
