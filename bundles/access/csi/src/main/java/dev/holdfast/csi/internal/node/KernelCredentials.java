package dev.holdfast.csi.internal.node;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.Node;
import java.net.URI;
import java.util.Optional;

/**
 * Explains a failed connection of the kernel, although the cluster gives the kernel of each node a
 * secret for each volume.
 */
final class KernelCredentials {
  private KernelCredentials() {}

  /**
   * Returns the remedy if a missing credential may be the cause.
   *
   * @param endpoint of the volume
   * @param node this node
   * @param failure message of the failed connection
   */
  static Optional<String> remedy(URI endpoint, Optional<Node> node, String failure) {
    String scheme = endpoint.getScheme();
    return node.filter(found -> !scheme.startsWith("nbd"))
        .filter(
            found ->
                Condition.isTrue(
                    found.status().conditions(), Node.DATA_PATH_AUTHENTICATED_CONDITION))
        .map(found -> failure + "; the cluster requires a credential: " + remedy(scheme));
  }

  private static String remedy(String scheme) {
    return scheme.equals("nvme")
        ? "NVMe needs a kernel with DH-HMAC-CHAP (CONFIG_NVME_HOST_AUTH) and the files hostnqn and"
            + " hostid in /etc/nvme; 'holdfast audit --verb connect' has refusals; the frontends"
            + " nbd and iscsi need neither"
        : "'holdfast audit --verb connect' has refusals; a secret in /etc/iscsi/iscsid.conf is"
            + " used instead of that of the node: remove it unless it belongs to a client";
  }
}
