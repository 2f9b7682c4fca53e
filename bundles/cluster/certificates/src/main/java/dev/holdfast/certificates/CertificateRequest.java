package dev.holdfast.certificates;

import java.security.PublicKey;
import java.util.List;
import java.util.Objects;

/**
 * Request of a node to the authority: a PKCS#10 request (RFC 2986) whose sender has proved that it
 * has the key.
 *
 * @param node the name of the node
 * @param names host names and IP addresses of the node for others
 * @param key the node's public key
 */
public record CertificateRequest(String node, List<String> names, PublicKey key) {
  /** Copies the names. */
  public CertificateRequest {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(key, "key");
    names = List.copyOf(names);
  }
}
