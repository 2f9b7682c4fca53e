package dev.holdfast.frontend;

import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Decides which clients may use which exports. A service that the portal calls at each login, and
 * twice per second for existing connections. Thread-safe.
 *
 * @since 2.2
 */
@ConsumerType
public interface ClientDirectory {

  /**
   * Returns whether the directory has read its clients. Until then it has no clients, and the
   * portal keeps connections that it does not permit.
   */
  boolean ready();

  /**
   * Returns the rights of an identity, from memory without blocking.
   *
   * @param identity that a client proved, not null
   * @return its rights at this time, or empty for an unknown, expired or removed client
   */
  Optional<ClientRights> rights(ClientIdentity identity);

  /**
   * Returns the names of the initiators that may use an export, from memory without blocking.
   *
   * @param export name, not null
   * @return their present rights by IQN or NQN; never null
   */
  Map<String, ClientRights> initiators(String export);

  /**
   * Returns whether clients without a credential may use an export, from memory without blocking.
   *
   * @param export name, not null
   */
  boolean isOpen(String export);

  /**
   * Returns the secret of an initiator. May read a file; does not wait for other nodes.
   *
   * @param kind of the secret, not null
   * @param initiator its IQN or NQN, not null
   * @return the secret, empty if the directory has none for it
   * @throws StorageException when the secret exists and cannot be read
   */
  Optional<ClientSecret> secret(ClientSecret.Kind kind, String initiator) throws StorageException;

  /**
   * Returns the secret of an initiator for one export. The initiator may be the kernel of a node of
   * the cluster, whose secrets differ for each volume. The directory may then request the secret
   * from that node, which takes at most some seconds. The default returns the secret for all
   * exports.
   *
   * @param kind of the secret, not null
   * @param initiator its IQN or NQN, not null
   * @param export name, not null
   * @return the secret, empty if the directory has none for it
   * @throws StorageException when the secret exists and cannot be read; UNREACHABLE or TIMEOUT when
   *     it may exist on a node that does not answer, so that the initiator tries again
   * @since 2.2
   */
  default Optional<ClientSecret> secret(ClientSecret.Kind kind, String initiator, String export)
      throws StorageException {
    return secret(kind, initiator);
  }

  /**
   * Returns the kernels of nodes of the cluster that connect to an export by NVMe, for native
   * exports of engines, which need the keys before the login. May send requests to these nodes and
   * waits at most one second; the next result contains later answers. The default returns an empty
   * map.
   *
   * @param export name, not null
   * @return keys for DH-HMAC-CHAP by the names of the nodes; the user of a key is the NQN of the
   *     kernel; never null
   * @since 2.2
   */
  default Map<String, ClientSecret> kernels(String export) {
    return Map.of();
  }

  /**
   * Records the refusal of a client in the audit log and counts it. Returns at once.
   *
   * @param refusal not null
   */
  void refused(ClientRefusal refusal);

  /**
   * Records the start of a connection's use of an export in the audit log. Returns at once.
   *
   * @param session not null
   * @since 2.2
   */
  default void began(ClientSession session) {}

  /**
   * Records the end of a connection in the audit log. Returns at once. Another directory may have
   * recorded the start of the session.
   *
   * @param session the session that {@link #began} received, not null
   * @since 2.2
   */
  default void ended(ClientSession session) {}
}
