package dev.holdfast.authorization.internal;

import dev.holdfast.access.AccessBinding;
import dev.holdfast.access.AccessDecision;
import dev.holdfast.access.AccessRequest;
import dev.holdfast.access.AccessRole;
import dev.holdfast.access.AccessRule;
import dev.holdfast.access.AccessToken;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.node.Node;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Rights of a member node. A node may read all kinds, and write the fields that its controllers
 * write, for any volume or node. It may not change the decisions of administrators: values of
 * settings, rights, and other nodes with their disks. It may only delete single resources, so that
 * one request cannot remove all resources of a kind.
 */
final class NodeRights {
  /** Subresources that nodes may not read. */
  private static final Set<String> PRIVATE = Set.of("audit");

  /** Logs and audit logs of other nodes, and the store as one file. */
  private static final List<String> PRIVATE_PATHS = List.of("/support/", "/store/");

  /**
   * Kinds whose status only nodes write. A system restore creates rights, so nodes only report on
   * it.
   */
  private static final Set<String> STATUS_ONLY =
      Set.of(AccessToken.KIND.plural(), "systemrestores");

  private static final Set<String> CHANGES = Set.of("update", "patch");
  private static final String STATUS = "status";

  /** Rights that do not depend on the object, for self reviews. */
  static final List<AccessRule> RULES =
      List.of(
          new AccessRule(
              List.of("get", "list", "watch"),
              List.of(AccessRule.ALL, AccessToken.KIND.plural()),
              List.of(),
              Map.of(),
              List.of()));

  /** Paths by which a node renews its certificate and follows the cluster's authority. */
  private static final Set<String> OWN_PATHS =
      Set.of("/cluster/v1/certificates", "/cluster/v1/trust");

  private NodeRights() {}

  static AccessDecision decide(String node, AccessRequest request) {
    if (request.isForResource() ? mayUse(node, request) : mayUsePath(request)) {
      return AccessDecision.byRole("node");
    }
    return AccessDecision.refused(
        "node "
            + node
            + " may not "
            + request.text()
            + ": use the kubeconfig of the node that has the store");
  }

  private static boolean mayUsePath(AccessRequest request) {
    return request.isWrite()
        ? OWN_PATHS.contains(request.path())
        : PRIVATE_PATHS.stream().noneMatch(request.path()::startsWith);
  }

  private static boolean mayUse(String node, AccessRequest request) {
    String plural = request.kind();
    if (!request.isWrite()) {
      return !PRIVATE.contains(request.subresource());
    } else if (request.verb().equals("deletecollection")) {
      return false;
    } else if (plural.equals(Setting.KIND.plural())) {
      return mayWriteSetting(request);
    } else if (plural.equals(Node.KIND.plural())) {
      return mayWriteNode(node, request);
    } else if (STATUS_ONLY.contains(plural)) {
      return request.subresource().equals(STATUS) && CHANGES.contains(request.verb());
    }
    return !plural.equals(AccessRole.KIND.plural()) && !plural.equals(AccessBinding.KIND.plural());
  }

  /**
   * Returns whether a node may write a setting. A node creates missing settings without a value,
   * and reports their state.
   */
  private static boolean mayWriteSetting(AccessRequest request) {
    return request.subresource().isEmpty()
        ? request.verb().equals("create")
        : request.subresource().equals(STATUS) && CHANGES.contains(request.verb());
  }

  private static boolean mayWriteNode(String node, AccessRequest request) {
    boolean own = request.name().equals(node);
    boolean status = request.subresource().equals(STATUS);
    boolean itself = request.subresource().isEmpty();
    return switch (request.verb()) {
      case "create" -> own && itself;
      // The holder of a lease records the state of other nodes.
      case "update", "patch" -> status || (own && itself);
      default -> false;
    };
  }
}
