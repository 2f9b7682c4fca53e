package dev.holdfast.cluster;

import dev.holdfast.certificates.TrustReport;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/** Admits and identifies nodes: a service of the node that has the store. Thread-safe. */
@ProviderType
public interface ClusterMembers extends ClusterAccess {
  /**
   * Returns the certificate of the cluster's authority as PEM, which is public.
   *
   * @throws StorageException IO
   */
  String authority() throws StorageException;

  /**
   * Admits a node. A token serves one node with one key; the same request may be repeated.
   *
   * @param token text of the token, not null
   * @param request certificate signing request as PEM, not null
   * @return certificate and credential, never null
   * @throws StorageException FORBIDDEN when the token is unknown, expired or used by another node,
   *     or when a name belongs to another node; ALREADY_EXISTS when the cluster has a node of this
   *     name; INVALID when the request or token is malformed; UNSUPPORTED, IO
   */
  JoinAnswer join(String token, String request) throws StorageException;

  /**
   * Signs a certificate for a member.
   *
   * @param node name of the requesting node, not null
   * @param request certificate signing request as PEM, not null
   * @return the certificate as PEM, never null
   * @throws StorageException FORBIDDEN when it is for another node or has another's names; INVALID;
   *     UNSUPPORTED; IO
   */
  String renew(String node, String request) throws StorageException;

  /**
   * Takes the report of a member on the authorities that it uses. A rotation of the authority
   * continues once all members follow.
   *
   * @param node name of the reporting node, not null
   * @param report not null
   * @return the authorities to trust as PEM, the one that signs first, never null
   * @throws StorageException IO
   */
  String report(String node, TrustReport report) throws StorageException;

  /**
   * Returns whose credential this is.
   *
   * @param credential text that a client sent, not null
   * @return the node's name, empty when it is unknown
   */
  Optional<String> nodeOf(String credential);
}
