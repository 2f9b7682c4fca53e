package dev.holdfast.csi.internal.node;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.Node;
import java.net.URI;
import java.util.Optional;

/**
 * Explains a connection that failed because the node requires a credential of every client. Over
 * NBD the node uses its own socket; the kernel's iSCSI and NVMe initiators have no credential of a
 * node.
 */
final class KernelCredentials {
  private KernelCredentials() {}

  /**
   * Returns the remedy where the lack of a credential may be the cause.
   *
   * @param endpoint of the volume
   * @param node this node
   * @param failure message of the failed connection
   */
  static Optional<String> remedy(URI endpoint, Optional<Node> node, String failure) {
    return node.filter(found -> !endpoint.getScheme().startsWith("nbd"))
        .filter(
            found ->
                Condition.isTrue(
                    found.status().conditions(), Node.DATA_PATH_AUTHENTICATED_CONDITION))
        .map(
            found ->
                "node "
                    + found.name()
                    + " requires a credential of its own kernel: use the frontend nbd, or start the"
                    + " node with --open-frontends loopback ("
                    + failure
                    + ")");
  }
}
