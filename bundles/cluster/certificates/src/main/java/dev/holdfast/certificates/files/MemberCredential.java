package dev.holdfast.certificates.files;

import dev.holdfast.certificates.internal.MemberFiles;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Credential of a node of the cluster, in the form that NBD clients with GnuTLS read, such as
 * libnbd and QEMU. With it the programs of a node use volumes that other nodes serve.
 *
 * @param node name of the node, not null
 * @param folder folder of {@code ca-cert.pem}, {@code client-cert.pem} and {@code client-key.pem},
 *     not null
 */
public record MemberCredential(String node, Path folder) {

  /**
   * Returns the credential of the node with a data directory. Writes its files to {@code
   * tls/client} there, if they are missing or older than the certificate of the node. Idempotent;
   * several processes may run it concurrently.
   *
   * @param data state directory of a node, not null
   * @return empty where this directory has no certificate of a node, or this account may not read
   *     its key
   * @throws StorageException INVALID when certificate or key cannot be used; IO, NO_SPACE
   * @see #nodeOf
   */
  public static Optional<MemberCredential> of(Path data) throws StorageException {
    Path folder = data.resolve("tls").resolve("client");
    return MemberFiles.prepare(data.resolve("tls"), folder)
        .map(node -> new MemberCredential(node, folder));
  }

  /**
   * Returns the name of the node with a data directory. Writes nothing, so that it also works while
   * the file system is full.
   *
   * @param data state directory of a node, not null
   * @return empty where {@link #of} returns nothing
   * @throws StorageException INVALID when the certificate cannot be used; IO
   */
  public static Optional<String> nodeOf(Path data) throws StorageException {
    return MemberFiles.node(data.resolve("tls"));
  }
}
