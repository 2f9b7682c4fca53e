package dev.holdfast.apiserver.internal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.apiserver.internal.auth.KnownMembers;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the version and the health of the server. */
final class ServerInfo {
  private static final Logger LOG = LoggerFactory.getLogger(ServerInfo.class);

  /** Minor version of Kubernetes whose conventions apply; clients compare it with their own. */
  private static final String KUBERNETES_MINOR = "32";

  private final ResourceStore store;
  private final String version;
  private final KnownMembers members;
  private final AtomicBoolean silent = new AtomicBoolean();

  ServerInfo(ResourceStore store, String version, KnownMembers members) {
    this.store = store;
    this.version = version;
    this.members = members;
  }

  ApiResponse answer(ApiRequest request) throws ApiException {
    if (request.path().size() != 1) {
      throw ApiException.notFound(request.pathText());
    }
    return switch (request.path().get(0)) {
      case "version" -> version();
      case "livez" -> ApiResponse.text(200, "ok");
      default -> ready();
    };
  }

  private ApiResponse version() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("major", "1");
    node.put("minor", KUBERNETES_MINOR);
    node.put("gitVersion", "v1." + KUBERNETES_MINOR + ".0+holdfast-" + version);
    node.put("gitCommit", "");
    node.put("gitTreeState", "");
    node.put("buildDate", "1970-01-01T00:00:00Z");
    node.put("goVersion", "");
    node.put("compiler", "javac");
    node.put("platform", System.getProperty("os.name") + "/" + System.getProperty("os.arch"));
    return ApiResponse.json(node);
  }

  private ApiResponse ready() {
    // Other nodes join a node as soon as it is ready.
    if (members.areAwaited()) {
      return ApiResponse.text(503, "the members of the cluster are not known yet");
    }
    try {
      store.list(Setting.KIND, LabelSelector.ALL);
      if (silent.compareAndSet(true, false)) {
        LOG.info("Ready: the store answers again");
      }
      return ApiResponse.text(200, "ok");
    } catch (StorageException e) {
      if (silent.compareAndSet(false, true)) {
        LOG.warn("Not ready: the store does not answer: {}", e.getMessage());
      }
      return ApiResponse.text(503, "the store does not answer");
    }
  }
}
