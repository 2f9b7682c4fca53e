package dev.holdfast.apiserver.internal.openapi;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.apiserver.internal.http.MediaType;
import dev.holdfast.apiserver.internal.resources.CoreEvents;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Serves the list of kinds in the old and the aggregated form of discovery. */
public final class Discovery {
  /** The group of kubectl's {@code get} that names all our kinds. */
  static final String CATEGORY = "holdfast";

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final Set<String> AGGREGATED_VERSIONS = Set.of("v2", "v2beta1");
  private static final List<String> VERBS =
      List.of("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch");
  private static final List<String> STATUS_VERBS = List.of("get", "patch", "update");

  private final KindCatalogue catalogue;

  /**
   * Creates the answers.
   *
   * @param catalogue catalogue of the served kinds
   */
  public Discovery(KindCatalogue catalogue) {
    this.catalogue = catalogue;
  }

  /** Returns the version of the aggregated document if the client prefers it to the old form. */
  private static Optional<MediaType> aggregated(ApiRequest request) {
    for (MediaType type : MediaType.accepted(request)) {
      if (type.isJson() && type.parameter("as").isEmpty()) {
        return Optional.empty();
      } else if (type.isJson()
          && type.parameter("g").equals("apidiscovery.k8s.io")
          && type.parameter("as").equals("APIGroupDiscoveryList")
          && AGGREGATED_VERSIONS.contains(type.parameter("v"))) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }

  /** Answers {@code /api}. */
  public ApiResponse core(ApiRequest request) {
    Optional<MediaType> aggregated = aggregated(request);
    if (aggregated.isPresent()) {
      ObjectNode events = aggregatedResource("events", "event", "Namespaced");
      events.putObject("responseKind").put("group", "").put("version", "v1").put("kind", "Event");
      addAll(events.putArray("verbs"), List.of("get", "list", "watch"));
      events.putArray("shortNames").add("ev");
      return aggregatedResponse(aggregated.get(), "", "v1", NODES.arrayNode().add(events));
    }
    ObjectNode node = NODES.objectNode();
    node.put("kind", "APIVersions");
    node.putArray("versions").add("v1");
    node.putArray("serverAddressByClientCIDRs");
    return ApiResponse.json(node);
  }

  /** Answers {@code /api/v1}. */
  public ApiResponse coreResources() {
    ObjectNode node = resourceList("v1");
    node.set("resources", CoreEvents.resourceList());
    return ApiResponse.json(node);
  }

  /** Answers {@code /apis}. */
  public ApiResponse groups(ApiRequest request) {
    Optional<MediaType> aggregated = aggregated(request);
    if (aggregated.isPresent()) {
      ArrayNode resources = NODES.arrayNode();
      catalogue.kinds().forEach(kind -> resources.add(aggregatedResource(kind)));
      return aggregatedResponse(
          aggregated.get(), ResourceKind.GROUP, ResourceKind.VERSION, resources);
    }
    ObjectNode node = NODES.objectNode();
    node.put("kind", "APIGroupList");
    node.put("apiVersion", "v1");
    node.putArray("groups").add(groupNode());
    return ApiResponse.json(node);
  }

  /** Answers {@code /apis/holdfast.dev}. */
  public ApiResponse group() {
    ObjectNode node = groupNode();
    node.put("kind", "APIGroup");
    node.put("apiVersion", "v1");
    return ApiResponse.json(node);
  }

  private static ObjectNode groupNode() {
    ObjectNode node = NODES.objectNode();
    node.put("name", ResourceKind.GROUP);
    ObjectNode version = NODES.objectNode();
    version.put("groupVersion", ResourceKind.API_VERSION);
    version.put("version", ResourceKind.VERSION);
    node.putArray("versions").add(version);
    node.set("preferredVersion", version.deepCopy());
    return node;
  }

  /** Answers {@code /apis/holdfast.dev/v1}. */
  public ApiResponse resources() {
    ObjectNode node = resourceList(ResourceKind.API_VERSION);
    ArrayNode list = node.putArray("resources");
    for (ResourceKind<?> kind : catalogue.kinds()) {
      ObjectNode main = list.addObject();
      main.put("name", kind.plural());
      main.put("singularName", kind.singular());
      main.put("namespaced", false);
      main.put("kind", kind.kind());
      addAll(main.putArray("verbs"), VERBS);
      addAll(main.putArray("shortNames"), kind.shortNames());
      main.putArray("categories").add(CATEGORY);
      ObjectNode status = list.addObject();
      status.put("name", kind.plural() + "/status");
      status.put("singularName", "");
      status.put("namespaced", false);
      status.put("kind", kind.kind());
      addAll(status.putArray("verbs"), STATUS_VERBS);
      if (kind.equals(Volume.KIND)) {
        ObjectNode scale = list.addObject();
        scale.put("name", kind.plural() + "/scale");
        scale.put("singularName", "");
        scale.put("namespaced", false);
        scale.put("group", "autoscaling").put("version", "v1").put("kind", "Scale");
        addAll(scale.putArray("verbs"), STATUS_VERBS);
      }
    }
    return ApiResponse.json(node);
  }

  private static ObjectNode resourceList(String groupVersion) {
    ObjectNode node = NODES.objectNode();
    node.put("kind", "APIResourceList");
    node.put("apiVersion", "v1");
    node.put("groupVersion", groupVersion);
    return node;
  }

  private static ObjectNode aggregatedResource(ResourceKind<?> kind) {
    ObjectNode node = aggregatedResource(kind.plural(), kind.singular(), "Cluster");
    node.set("responseKind", responseKind(kind));
    addAll(node.putArray("verbs"), VERBS);
    addAll(node.putArray("shortNames"), kind.shortNames());
    node.putArray("categories").add(CATEGORY);
    ArrayNode subresources = node.putArray("subresources");
    ObjectNode status = subresources.addObject();
    status.put("subresource", "status");
    status.set("responseKind", responseKind(kind));
    addAll(status.putArray("verbs"), STATUS_VERBS);
    if (kind.equals(Volume.KIND)) {
      ObjectNode scale = subresources.addObject();
      scale.put("subresource", "scale");
      scale
          .putObject("responseKind")
          .put("group", "autoscaling")
          .put("version", "v1")
          .put("kind", "Scale");
      addAll(scale.putArray("verbs"), STATUS_VERBS);
    }
    return node;
  }

  private static ObjectNode responseKind(ResourceKind<?> kind) {
    return NODES
        .objectNode()
        .put("group", ResourceKind.GROUP)
        .put("version", ResourceKind.VERSION)
        .put("kind", kind.kind());
  }

  private static ObjectNode aggregatedResource(String plural, String singular, String scope) {
    ObjectNode node = NODES.objectNode();
    node.put("resource", plural);
    node.put("scope", scope);
    node.put("singularResource", singular);
    return node;
  }

  private static ApiResponse aggregatedResponse(
      MediaType type, String group, String version, ArrayNode resources) {
    String metaVersion = type.parameter("v");
    ObjectNode list = NODES.objectNode();
    list.put("kind", "APIGroupDiscoveryList");
    list.put("apiVersion", "apidiscovery.k8s.io/" + metaVersion);
    list.putObject("metadata");
    ObjectNode item = list.putArray("items").addObject();
    ObjectNode metadata = item.putObject("metadata");
    if (!group.isEmpty()) {
      metadata.put("name", group);
    }
    ObjectNode versionNode = item.putArray("versions").addObject();
    versionNode.put("version", version);
    versionNode.put("freshness", "Current");
    versionNode.set("resources", resources);
    return new ApiResponse.Content(
        200,
        "application/json;g=apidiscovery.k8s.io;v=" + metaVersion + ";as=APIGroupDiscoveryList",
        ApiResponse.bytes(list.toString()),
        List.of());
  }

  private static void addAll(ArrayNode array, List<String> texts) {
    texts.forEach(array::add);
  }
}
