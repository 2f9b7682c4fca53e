package dev.holdfast.host;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.HostProgram;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Certificate that QEMU's programs present to an NBD server. They check the server's certificate
 * against the authority of the same folder, and start TLS before they name an export.
 *
 * @param folder folder of {@code ca-cert.pem}, {@code client-cert.pem} and {@code client-key.pem},
 *     not null
 */
public record QemuCredential(Path folder) {
  private static final String ID = "node";
  private static final String REFUSED = "export not available";
  private static final Duration LONGEST = Duration.ofSeconds(60);

  /** Checks that the folder is present. */
  public QemuCredential {
    Objects.requireNonNull(folder, "folder");
  }

  /**
   * Returns options that define the credential for {@code qemu-nbd} or {@code qemu-img}. QEMU's own
   * check of the files is off, because it requires the key usage "key encipherment", which elliptic
   * curve keys do not have. GnuTLS checks both certificates in the handshake.
   */
  public List<String> options() {
    String path = folder.toAbsolutePath().toString().replace(",", ",,");
    return List.of(
        "--object", "tls-creds-x509,id=" + ID + ",endpoint=client,sanity-check=off,dir=" + path);
  }

  /**
   * Returns a copy of a block node that uses the credential.
   *
   * @param node with driver {@code nbd} and a server with host and port, not null
   */
  public ObjectNode with(ObjectNode node) {
    return node.deepCopy().put("tls-creds", ID);
  }

  /**
   * Waits until the server admits this credential to the export, because a node learns of a new
   * ticket some time after the store. Returns normally when the server does not answer or still
   * refuses: the program that uses the export reports that.
   *
   * @param node result of {@link #with}, not null
   * @param patience maximum time to wait, not null
   * @throws StorageException UNSUPPORTED without {@code qemu-img}; TIMEOUT; IO
   */
  public void awaitAdmission(ObjectNode node, Duration patience) throws StorageException {
    List<String> command = new ArrayList<>();
    command.add(HostProgram.require("qemu-img", "qemu-utils").toString());
    command.add("info");
    command.addAll(options());
    command.add("json:" + node);
    boolean unused =
        HostCondition.holds(
            patience, () -> !HostProgram.run(LONGEST, command).output().contains(REFUSED));
  }
}
