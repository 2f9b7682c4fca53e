package dev.holdfast.certificates.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import org.bouncycastle.asn1.sec.ECPrivateKey;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;

/**
 * Key and certificate of a client of volumes.
 *
 * @param certificate as PEM
 * @param key as PEM
 * @param fingerprint SHA-256 of the certificate in hexadecimal digits
 */
public record ClientKeys(String certificate, String key, String fingerprint) {
  /** Creates a key and its certificate. */
  public static ClientKeys create(String name, Instant now, Instant end) throws StorageException {
    try {
      CertificateAuthority authority = new CertificateAuthority();
      KeyPair key = authority.newKey();
      byte[] certificate = authority.client(key, name, now, end);
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(certificate);
      return new ClientKeys(
          text(Pem.encode("CERTIFICATE", certificate)),
          text(Pem.encode("EC PRIVATE KEY", withPublicKey(key))),
          HexFormat.of().formatHex(digest));
    } catch (GeneralSecurityException | IOException e) {
      throw new StorageException(
          ErrorCode.INTERNAL, "client " + name + ": could not make a certificate", e);
    }
  }

  /** GnuTLS, which libnbd and QEMU use, cannot read an EC key without its public key. */
  static byte[] withPublicKey(KeyPair key) throws IOException {
    java.security.interfaces.ECPrivateKey secret =
        (java.security.interfaces.ECPrivateKey) key.getPrivate();
    SubjectPublicKeyInfo known = SubjectPublicKeyInfo.getInstance(key.getPublic().getEncoded());
    return new ECPrivateKey(
            secret.getParams().getOrder().bitLength(),
            secret.getS(),
            known.getPublicKeyData(),
            known.getAlgorithm().getParameters())
        .getEncoded();
  }

  private static String text(byte[] pem) {
    return new String(pem, StandardCharsets.US_ASCII);
  }

  /** Omits the key. */
  @Override
  public String toString() {
    return "certificate " + fingerprint;
  }
}
