package dev.holdfast.apiserver.internal.auth;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.node.Node;
import java.util.List;

/**
 * Rights of callers. A node may read everything and write what its controllers write, whichever
 * volume or node they work for at the moment; it may not change what an administrator decided:
 * settings, and which other nodes there are and with which disks.
 */
public final class Authorization {
  private final ObjectMapper mapper = new ObjectMapper();

  public void require(Caller caller, ApiRequest request) throws ApiException {
    boolean allowed =
        switch (caller.role()) {
          case ADMIN, ANYBODY -> true;
          case NODE -> request.method().equals("GET") || nodeMayWrite(caller.node(), request);
        };
    if (!allowed) {
      throw ApiException.forbidden(
          "node "
              + caller.node()
              + " may not "
              + request.method()
              + " "
              + request.pathText()
              + ": use the kubeconfig of the node that has the store");
    }
  }

  private boolean nodeMayWrite(String node, ApiRequest request) {
    List<String> path = request.path();
    if (path.equals(ClusterEndpoint.CERTIFICATES)) {
      return true;
    } else if (path.size() < 4 || !path.get(1).equals(ResourceKind.GROUP)) {
      return path.size() >= 3 && path.get(0).equals("api");
    }
    String plural = path.get(3);
    String name = path.size() > 4 ? path.get(4) : "";
    if (plural.equals(Setting.KIND.plural())) {
      return false;
    } else if (!plural.equals(Node.KIND.plural())) {
      return true;
    }
    return switch (request.method()) {
      case "POST" -> nameIn(request.body()).equals(node);
      // Which nodes are heard of is said by the one that holds the lease.
      case "PUT", "PATCH" -> name.equals(node) || path.size() == 6;
      default -> false;
    };
  }

  private String nameIn(String body) {
    try {
      return mapper.readTree(body).path("metadata").path("name").asText();
    } catch (JsonProcessingException e) {
      // Not JSON: the reader of the body reports the error, but no node is named here.
      return "";
    }
  }
}
