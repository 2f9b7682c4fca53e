package dev.holdfast.certificates.internal;

import dev.holdfast.certificates.PrivateFiles;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.bouncycastle.asn1.x500.X500Name;

/** The certificate and the key of a node with the names and in the format that GnuTLS reads. */
public final class MemberFiles {
  private MemberFiles() {}

  /**
   * Returns the name of the node; empty where a directory has no certificate of a node, or this
   * account may not read its key. Writes nothing.
   *
   * @param tls directory with {@code ca.crt}, {@code server.crt} and {@code server.key}
   */
  public static Optional<String> node(Path tls) throws StorageException {
    Path certificate = tls.resolve("server.crt");
    boolean readable =
        Stream.of(tls.resolve("ca.crt"), certificate, tls.resolve("server.key"))
            .allMatch(Files::isReadable);
    if (!readable) {
      return Optional.empty();
    }
    X509Certificate own = Pem.certificates(certificate).get(0);
    return NodeSubject.node(X500Name.getInstance(own.getSubjectX500Principal().getEncoded()));
  }

  /**
   * Writes the files into a folder where they differ.
   *
   * @param tls directory with {@code ca.crt}, {@code server.crt} and {@code server.key}
   * @return name of the node, empty if the directory has no certificate of a node
   */
  public static Optional<String> prepare(Path tls, Path folder) throws StorageException {
    Optional<String> node = node(tls);
    if (node.isPresent()) {
      try {
        PrivateFiles.createDirectory(folder);
        // The key comes first: clients that read an earlier certificate with it fail and retry.
        write(folder.resolve("client-key.pem"), key(tls.resolve("server.key")));
        write(folder.resolve("client-cert.pem"), Files.readAllBytes(tls.resolve("server.crt")));
        write(folder.resolve("ca-cert.pem"), Files.readAllBytes(tls.resolve("ca.crt")));
      } catch (IOException e) {
        throw StorageException.io("write the credential of the node to " + folder, e);
      }
    }
    return node;
  }

  private static byte[] key(Path file) throws StorageException, IOException {
    KeyPair pair = Pem.keyPair(file);
    return pair.getPublic().getAlgorithm().equals("EC")
        ? Pem.encode("EC PRIVATE KEY", ClientKeys.withPublicKey(pair))
        : Pem.encode("PRIVATE KEY", pair.getPrivate().getEncoded());
  }

  private static void write(Path file, byte[] content) throws IOException {
    if (!Files.exists(file) || !Arrays.equals(Files.readAllBytes(file), content)) {
      PrivateFiles.write(file, content);
    }
  }
}
