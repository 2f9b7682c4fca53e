package dev.holdfast.certificates.internal;

import dev.holdfast.certificates.PrivateFiles;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/**
 * The files of a node whose authority is on another node. The key is created here and never leaves;
 * the certificate comes from the authority.
 */
public final class JoinedFiles {
  private JoinedFiles() {}

  /** Creates a request for the key of the directory, and the key when it is absent. */
  public static String request(Path directory, String node, Collection<String> names)
      throws StorageException {
    Path file = directory.resolve("server.key");
    try {
      PrivateFiles.createDirectory(directory);
      if (!Files.exists(file)) {
        KeyPair key = new CertificateAuthority().newKey();
        PrivateFiles.write(file, Pem.encode("PRIVATE KEY", key.getPrivate().getEncoded()));
      }
      return new String(Requests.make(Pem.keyPair(file), node, names), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw StorageException.io("make " + file, e);
    } catch (GeneralSecurityException e) {
      throw new StorageException(ErrorCode.INVALID, file + " cannot be used: " + e.getMessage(), e);
    }
  }

  /** Writes the certificates of a response that match the key of the directory. */
  public static void accept(Path directory, String caCertificate, String certificate)
      throws StorageException {
    Path key = directory.resolve("server.key");
    X509Certificate ca = Pem.certificates(caCertificate, "the answer's authority").get(0);
    List<X509Certificate> chain = Pem.certificates(certificate, "the answer's certificate");
    try {
      chain.get(0).verify(ca.getPublicKey());
      if (!NodeKeys.fits(Pem.privateKey(key, chain.get(0)), chain.get(0))) {
        throw new StorageException(
            ErrorCode.INVALID, "the certificate in the answer is not for the key " + key);
      }
      write(directory.resolve("ca.crt"), caCertificate);
      write(directory.resolve("server.crt"), certificate);
    } catch (GeneralSecurityException e) {
      throw new StorageException(
          ErrorCode.INVALID,
          "the certificate in the answer is not signed by the cluster's authority: "
              + e.getMessage(),
          e);
    } catch (IOException e) {
      throw StorageException.io("write the certificates in " + directory, e);
    }
  }

  /** Returns whether the certificate of the directory must be renewed now. */
  public static boolean isDue(Path directory, Instant now) throws StorageException {
    return TlsFiles.isDue(
        own(directory), Pem.certificates(directory.resolve("ca.crt")).get(0), now);
  }

  /** Returns the names in the certificate of the directory. */
  public static List<String> names(Path directory) throws StorageException {
    try {
      return List.copyOf(TlsFiles.names(own(directory)));
    } catch (GeneralSecurityException e) {
      throw new StorageException(
          ErrorCode.INVALID,
          directory.resolve("server.crt") + " cannot be used: " + e.getMessage(),
          e);
    }
  }

  private static X509Certificate own(Path directory) throws StorageException {
    return Pem.certificates(directory.resolve("server.crt")).get(0);
  }

  private static void write(Path file, String text) throws IOException {
    PrivateFiles.write(file, text.getBytes(StandardCharsets.US_ASCII));
  }
}
