package dev.holdfast.apiserver.internal.auth;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.access.AccessRequest;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.LabelSelector;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/** Reads verb, kind, name and labels from a request. */
public final class RequestReader {
  /** Path of several watches in one stream. */
  public static final List<String> WATCHES =
      List.of("apis", ResourceKind.GROUP, ResourceKind.VERSION, "watch");

  private static final String NAME_FIELD = "metadata.name=";

  private final Objects objects;

  /** Reads bodies and stored resources. */
  public interface Objects {
    /** Returns the body of a request, an empty object if it cannot be read. */
    JsonNode body(ApiRequest request);

    /** Returns the labels of a stored resource, none if it does not exist. */
    Map<String, String> labels(String plural, String name);
  }

  /** Creates the reader. */
  public RequestReader(Objects objects) {
    this.objects = objects;
  }

  /** Returns the access that a request needs. */
  public AccessRequest of(ApiRequest request) {
    List<String> path = request.path();
    if (path.equals(WATCHES)) {
      // Each watch in the body is decided separately.
      return AccessRequest.ofPath(method(request), request.pathText());
    } else if (path.size() >= 4
        && path.size() <= 6
        && path.get(0).equals("apis")
        && path.get(1).equals(ResourceKind.GROUP)
        && path.get(2).equals(ResourceKind.VERSION)) {
      return resource(request, path.subList(3, path.size()));
    } else if (path.size() >= 3 && path.get(0).equals("api") && path.get(1).equals("v1")) {
      boolean namespaced = path.size() > 4 && path.get(2).equals("namespaces");
      return resource(request, path.subList(namespaced ? 4 : 2, path.size()));
    }
    return AccessRequest.ofPath(method(request), request.pathText());
  }

  private AccessRequest resource(ApiRequest request, List<String> path) {
    String plural = path.get(0);
    String name = path.size() > 1 ? path.get(1) : "";
    String subresource = path.size() > 2 ? path.get(2) : "";
    if (name.isEmpty()) {
      return collection(request, plural);
    }
    String verb =
        switch (request.method()) {
          case "GET" -> "get";
          case "POST" -> "create";
          case "PUT" -> "update";
          case "PATCH" -> "patch";
          case "DELETE" -> "delete";
          default -> method(request);
        };
    return AccessRequest.of(verb, plural, subresource, name, () -> objects.labels(plural, name));
  }

  private AccessRequest collection(ApiRequest request, String plural) {
    return switch (request.method()) {
      case "GET" -> selected(request.flag("watch") ? "watch" : "list", plural, request);
      case "DELETE" -> selected("deletecollection", plural, request);
      case "POST" -> {
        JsonNode metadata = objects.body(request).path("metadata");
        Supplier<Map<String, String>> labels = () -> labels(metadata.path("labels"));
        yield AccessRequest.of("create", plural, "", metadata.path("name").asText(""), labels);
      }
      default -> AccessRequest.of(method(request), plural, "", "", Map::of);
    };
  }

  private static AccessRequest selected(String verb, String plural, ApiRequest request) {
    String fields = request.parameter("fieldSelector").orElse("");
    String name =
        fields.startsWith(NAME_FIELD) && !fields.contains(",")
            ? fields.substring(NAME_FIELD.length())
            : "";
    return AccessRequest.of(verb, plural, "", name, () -> required(request));
  }

  /** Returns the labels that the selector of the request requires. */
  private static Map<String, String> required(ApiRequest request) {
    Map<String, String> labels = new HashMap<>();
    try {
      LabelSelector selector = LabelSelector.parse(request.parameter("labelSelector").orElse(""));
      for (LabelSelector.Requirement requirement : selector.requirements()) {
        if (requirement.operator() == LabelSelector.Operator.IN
            && requirement.values().size() == 1) {
          labels.put(requirement.key(), requirement.values().iterator().next());
        }
      }
    } catch (IllegalArgumentException e) {
      // The parser of the selector reports the error.
      return Map.of();
    }
    return labels;
  }

  private static Map<String, String> labels(JsonNode tree) {
    Map<String, String> labels = new HashMap<>();
    tree.properties().forEach(label -> labels.put(label.getKey(), label.getValue().asText("")));
    return labels;
  }

  private static String method(ApiRequest request) {
    return request.method().toLowerCase(Locale.ROOT);
  }
}
