package dev.holdfast.certificates.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.List;
import java.util.Optional;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.crypto.params.ECPrivateKeyParameters;
import org.bouncycastle.crypto.util.PrivateKeyFactory;
import org.bouncycastle.math.ec.ECPoint;
import org.bouncycastle.math.ec.FixedPointCombMultiplier;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemWriter;

/** Certificates and private keys as PEM text. */
final class Pem {
  private Pem() {}

  static byte[] encode(String label, byte[] der) throws IOException {
    StringWriter text = new StringWriter();
    try (PemWriter writer = new PemWriter(text)) {
      writer.writeObject(new PemObject(label, der));
    }
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }

  /** Reads a certificate and the following ones in the file. */
  static List<X509Certificate> certificates(Path file) throws StorageException {
    return certificates(new String(read(file), StandardCharsets.ISO_8859_1), file.toString());
  }

  /** Reads certificates; {@code source} names them in messages. */
  static List<X509Certificate> certificates(String text, String source) throws StorageException {
    byte[] content = text.getBytes(StandardCharsets.ISO_8859_1);
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
          ErrorCode.INVALID, source + ": not a PEM certificate: " + e.getMessage(), e);
    }
    throw new StorageException(ErrorCode.INVALID, source + " has no PEM certificate");
  }

  /** Reads the private key of a certificate: PKCS#8, or OpenSSL's traditional format. */
  static PrivateKey privateKey(Path file, X509Certificate certificate) throws StorageException {
    PrivateKeyInfo key = clearPrivateKey(file);
    try {
      return KeyFactory.getInstance(certificate.getPublicKey().getAlgorithm())
          .generatePrivate(new PKCS8EncodedKeySpec(key.getEncoded()));
    } catch (GeneralSecurityException | IOException e) {
      throw unusable(file, e);
    }
  }

  /** Reads a private key and derives its public key. */
  static KeyPair keyPair(Path file) throws StorageException {
    try {
      PrivateKeyInfo info = clearPrivateKey(file);
      if (info.getPrivateKeyAlgorithm()
          .getAlgorithm()
          .equals(PKCSObjectIdentifiers.rsaEncryption)) {
        KeyFactory factory = KeyFactory.getInstance("RSA");
        RSAPrivateCrtKey key =
            (RSAPrivateCrtKey) factory.generatePrivate(new PKCS8EncodedKeySpec(info.getEncoded()));
        return new KeyPair(
            factory.generatePublic(new RSAPublicKeySpec(key.getModulus(), key.getPublicExponent())),
            key);
      }
      KeyFactory factory = KeyFactory.getInstance("EC");
      ECPrivateKeyParameters key = (ECPrivateKeyParameters) PrivateKeyFactory.createKey(info);
      ECPoint point =
          new FixedPointCombMultiplier().multiply(key.getParameters().getG(), key.getD());
      SubjectPublicKeyInfo publicKey =
          new SubjectPublicKeyInfo(
              info.getPrivateKeyAlgorithm(), point.normalize().getEncoded(false));
      return new KeyPair(
          factory.generatePublic(new X509EncodedKeySpec(publicKey.getEncoded())),
          factory.generatePrivate(new PKCS8EncodedKeySpec(info.getEncoded())));
    } catch (GeneralSecurityException | IOException | ClassCastException e) {
      throw unusable(file, e);
    }
  }

  private static PrivateKeyInfo clearPrivateKey(Path file) throws StorageException {
    return privateKey(file)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.INVALID,
                    file
                        + " has no private key in the clear: convert it with"
                        + " openssl pkcs8 -topk8 -nocrypt"));
  }

  /** Returns the first key of the file; EC parameters may precede an EC key. */
  private static Optional<PrivateKeyInfo> privateKey(Path file) throws StorageException {
    String text = new String(read(file), StandardCharsets.US_ASCII);
    try (PEMParser parser = new PEMParser(new StringReader(text))) {
      for (Object part = parser.readObject(); part != null; part = parser.readObject()) {
        if (part instanceof PrivateKeyInfo key) {
          return Optional.of(key);
        }
        if (part instanceof PEMKeyPair pair) {
          return Optional.of(pair.getPrivateKeyInfo());
        }
      }
      return Optional.empty();
    } catch (IOException | IllegalArgumentException e) {
      throw unusable(file, e);
    }
  }

  private static StorageException unusable(Path file, Exception cause) {
    return new StorageException(
        ErrorCode.INVALID, file + " has no usable private key: " + cause.getMessage(), cause);
  }

  private static byte[] read(Path file) throws StorageException {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw StorageException.io("read " + file, e);
    }
  }
}
