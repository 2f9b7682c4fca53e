package dev.holdfast.cluster;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Token with which a node joins: {@code hf1.<id>.<secret>.<fingerprint>}. The secret proves to the
 * cluster that the node may join; the fingerprint lets the node verify the cluster.
 *
 * @param id public identifier of the token
 * @param secret 192 random bits
 * @param fingerprint SHA-256 of the authority's certificate
 */
public record JoinToken(String id, String secret, String fingerprint) {
  private static final Pattern FORM =
      Pattern.compile("hf1\\.([0-9a-f]{16})\\.([A-Za-z0-9_-]{32})\\.([A-Za-z0-9_-]{43})");
  private static final int ID_BYTES = 8;
  private static final int SECRET_BYTES = 24;
  private static final int PEM_LINE = 64;

  /**
   * Creates a token for the cluster of an authority.
   *
   * @param caCertificate as PEM, not null
   * @param random not null
   * @throws StorageException INVALID when it is not a certificate
   */
  public static JoinToken random(String caCertificate, SecureRandom random)
      throws StorageException {
    byte[] id = new byte[ID_BYTES];
    byte[] secret = new byte[SECRET_BYTES];
    random.nextBytes(id);
    random.nextBytes(secret);
    return new JoinToken(HexFormat.of().formatHex(id), text(secret), fingerprintOf(caCertificate));
  }

  /**
   * Reads a token.
   *
   * @throws StorageException INVALID when it is malformed; the message does not contain it
   */
  public static JoinToken parse(String text) throws StorageException {
    Matcher parts = FORM.matcher(text.strip());
    if (!parts.matches()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "this is not a token of 'holdfast node token': it begins with hf1. and has three more parts");
    }
    return new JoinToken(parts.group(1), parts.group(2), parts.group(3));
  }

  /** Returns the text form of the token. */
  public String text() {
    return "hf1." + id + "." + secret + "." + fingerprint;
  }

  /**
   * Returns the one authority that this token was made for. A server names several while the
   * cluster replaces its authority; the others are not verified by this token.
   *
   * @param caCertificates as PEM, not null
   * @return its certificate as PEM, never null
   * @throws StorageException FORBIDDEN when it is not among them; INVALID when they are not PEM
   */
  public String authorityAmong(String caCertificates) throws StorageException {
    byte[] expected = fingerprint.getBytes(StandardCharsets.US_ASCII);
    try {
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509")
              .generateCertificates(
                  new ByteArrayInputStream(caCertificates.getBytes(StandardCharsets.ISO_8859_1)))) {
        byte[] encoded = certificate.getEncoded();
        byte[] given = fingerprintOf(encoded).getBytes(StandardCharsets.US_ASCII);
        if (MessageDigest.isEqual(given, expected)) {
          return pem(encoded);
        }
      }
    } catch (GeneralSecurityException e) {
      throw unreadable(e);
    }
    throw new StorageException(
        ErrorCode.FORBIDDEN,
        "the server is not of the cluster that the token was made for: its authority's"
            + " fingerprint differs. Check the address; another server may be in between. A token"
            + " from before a rotation of the authority needs another 'holdfast node token'");
  }

  private static String pem(byte[] encoded) {
    return "-----BEGIN CERTIFICATE-----\n"
        + Base64.getMimeEncoder(PEM_LINE, new byte[] {'\n'}).encodeToString(encoded)
        + "\n-----END CERTIFICATE-----\n";
  }

  private static String fingerprintOf(String caCertificate) throws StorageException {
    try {
      byte[] encoded =
          CertificateFactory.getInstance("X.509")
              .generateCertificate(
                  new ByteArrayInputStream(caCertificate.getBytes(StandardCharsets.ISO_8859_1)))
              .getEncoded();
      return fingerprintOf(encoded);
    } catch (GeneralSecurityException e) {
      throw unreadable(e);
    }
  }

  private static String fingerprintOf(byte[] encoded) throws GeneralSecurityException {
    return text(MessageDigest.getInstance("SHA-256").digest(encoded));
  }

  private static StorageException unreadable(GeneralSecurityException cause) {
    return new StorageException(
        ErrorCode.INVALID,
        "the authority's certificate cannot be read: " + cause.getMessage(),
        cause);
  }

  private static String text(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Returns the identifier without the secret. */
  @Override
  public String toString() {
    return "JoinToken[" + id + "]";
  }
}
