package dev.holdfast.certificates.internal;

import dev.holdfast.certificates.files.ClientCredential;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;

/** Creates the credentials of clients of volumes. */
public final class ClientKeys {
  private ClientKeys() {}

  /** Makes a key and a certificate for it. */
  public static ClientCredential create(String name, Instant now, Instant end)
      throws StorageException {
    try {
      CertificateAuthority authority = new CertificateAuthority();
      KeyPair key = authority.newKey();
      byte[] certificate = authority.client(key, name, now, end);
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(certificate);
      return new ClientCredential(
          text(Pem.encode("CERTIFICATE", certificate)),
          text(Pem.encode("PRIVATE KEY", key.getPrivate().getEncoded())),
          HexFormat.of().formatHex(digest));
    } catch (GeneralSecurityException | IOException e) {
      throw new StorageException(
          ErrorCode.INTERNAL, "client " + name + ": could not make a certificate", e);
    }
  }

  private static String text(byte[] pem) {
    return new String(pem, StandardCharsets.US_ASCII);
  }
}
