package dev.holdfast.certificates.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Certificates and PKCS#8 keys as PEM text. */
final class Pem {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");

  private Pem() {}

  static byte[] encode(String label, byte[] der) {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return ("-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n")
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** Reads a certificate and those that follow it in the file. */
  static List<X509Certificate> certificates(Path file) throws StorageException {
    byte[] content = read(file);
    try {
      List<X509Certificate> certificates =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(content))
              .stream()
              .map(X509Certificate.class::cast)
              .toList();
      if (!certificates.isEmpty()) {
        return certificates;
      }
    } catch (GeneralSecurityException e) {
      throw new StorageException(
          ErrorCode.INVALID, file + " is no PEM certificate: " + e.getMessage(), e);
    }
    throw new StorageException(ErrorCode.INVALID, file + " has no PEM certificate");
  }

  /** Reads the private key that belongs to a certificate. */
  static PrivateKey privateKey(Path file, X509Certificate certificate) throws StorageException {
    Matcher matcher = KEY.matcher(new String(read(file), StandardCharsets.US_ASCII));
    if (!matcher.find()) {
      throw new StorageException(
          ErrorCode.INVALID,
          file + " has no PKCS#8 key: convert it with openssl pkcs8 -topk8 -nocrypt");
    }
    try {
      byte[] der = Base64.getMimeDecoder().decode(matcher.group(1));
      return KeyFactory.getInstance(certificate.getPublicKey().getAlgorithm())
          .generatePrivate(new PKCS8EncodedKeySpec(der));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID, file + " has no usable private key: " + e.getMessage(), e);
    }
  }

  private static byte[] read(Path file) throws StorageException {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw StorageException.io("read " + file, e);
    }
  }
}
