package dev.holdfast.frontend;

import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Knows which clients may use which exports. A service that the portal asks at each login, and
 * every half second for the connections that exist. Thread-safe.
 *
 * @since 2.2
 */
@ConsumerType
public interface ClientDirectory {

  /**
   * Returns whether the directory has read its clients. Before, it knows no client, and the portal
   * ends no connection because of it.
   */
  boolean ready();

  /**
   * Returns the rights of an identity, from memory and without waiting.
   *
   * @param identity that a client proved, not null
   * @return its rights at this time, or empty for an unknown, expired or removed client
   */
  Optional<ClientRights> rights(ClientIdentity identity);

  /**
   * Returns the names of the initiators that may use an export, from memory and without waiting.
   *
   * @param export name, not null
   * @return their rights by IQN or NQN, at this time; never null
   */
  Map<String, ClientRights> initiators(String export);

  /**
   * Returns whether clients without a credential may use an export, from memory and without
   * waiting.
   *
   * @param export name, not null
   */
  boolean isOpen(String export);

  /**
   * Returns the secret of an initiator. May read a file; does not wait for other parties.
   *
   * @param kind of the secret, not null
   * @param initiator its IQN or NQN, not null
   * @return empty when it has none here
   * @throws StorageException when the secret exists and cannot be read
   */
  Optional<ClientSecret> secret(ClientSecret.Kind kind, String initiator) throws StorageException;

  /**
   * Returns the secret of an initiator for one export. It may belong to the kernel of a node of the
   * cluster, whose secrets differ for each volume: the directory may then ask that node, which
   * takes at most some seconds. An implementation without such secrets inherits the answer for all
   * exports.
   *
   * @param kind of the secret, not null
   * @param initiator its IQN or NQN, not null
   * @param export name, not null
   * @return empty when it has none here
   * @throws StorageException when the secret exists and cannot be read; UNREACHABLE or TIMEOUT when
   *     it may exist on a node that does not answer, so that the initiator tries again
   * @since 2.2
   */
  default Optional<ClientSecret> secret(ClientSecret.Kind kind, String initiator, String export)
      throws StorageException {
    return secret(kind, initiator);
  }

  /**
   * Returns the kernels of nodes of the cluster that connect to an export by NVMe, for exports of
   * engines, which must know them before they log in. May ask these nodes, and waits for at most a
   * second: what a node answers later is in the next result. An implementation without such kernels
   * inherits the answer that none connects.
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
   * Takes note that a client was refused: writes a line of the audit log and counts it. Returns at
   * once.
   *
   * @param refusal not null
   */
  void refused(ClientRefusal refusal);

  /**
   * Takes note that a connection begins to use an export: writes a line of the audit log. Returns
   * at once.
   *
   * @param session not null
   * @since 2.2
   */
  default void began(ClientSession session) {}

  /**
   * Takes note that a connection has ended: writes a line of the audit log. Returns at once. The
   * begin of the session may have been reported to another directory.
   *
   * @param session as {@link #began} was given it, not null
   * @since 2.2
   */
  default void ended(ClientSession session) {}
}
