package dev.holdfast.cluster;

import java.util.Objects;

/**
 * Response to an admitted node.
 *
 * @param node its name
 * @param caCertificate of the cluster's authority, as PEM
 * @param certificate of the node, as PEM
 * @param credential its bearer token at the API
 */
public record JoinAnswer(String node, String caCertificate, String certificate, String credential) {
  /** Checks that all parts are present. */
  public JoinAnswer {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(caCertificate, "caCertificate");
    Objects.requireNonNull(certificate, "certificate");
    Objects.requireNonNull(credential, "credential");
  }

  /** Returns the node's name without the credential. */
  @Override
  public String toString() {
    return "JoinAnswer[" + node + "]";
  }
}
