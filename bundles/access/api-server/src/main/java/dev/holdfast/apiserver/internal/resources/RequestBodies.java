package dev.holdfast.apiserver.internal.resources;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.apiserver.internal.http.MediaType;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.InvalidResourceException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import java.util.List;
import java.util.Set;

/** Reads the bodies of requests, with Kubernetes' rules for unknown fields. */
public final class RequestBodies {
  private static final Set<String> VALIDATIONS = Set.of("Strict", "Warn", "Ignore");
  private static final String YAML = "application/yaml";
  private static final String UNKNOWN = "unknown field";

  private final ResourceJson json;

  public RequestBodies(ResourceJson json) {
    this.json = json;
  }

  /**
   * A parsed resource.
   *
   * @param resource the resource
   * @param warnings warnings for the user about dropped fields
   */
  record Decoded<R extends Resource<R>>(R resource, List<String> warnings) {}

  /** Parses the body as JSON or YAML. */
  public JsonNode json(ApiRequest request) throws ApiException {
    String type = MediaType.parse(request.header("Content-Type").orElse(ApiResponse.JSON)).type();
    return switch (type) {
      case ApiResponse.JSON -> parse(request);
      case YAML -> yaml(request);
      default ->
          throw ApiException.unsupportedMediaType(
              "a body of type "
                  + type
                  + " is not supported: send application/json or application/yaml");
    };
  }

  /** Parses the body as YAML, which includes JSON. */
  JsonNode yaml(ApiRequest request) throws ApiException {
    try {
      return YamlDocuments.parse(request.body());
    } catch (StorageException e) {
      throw unreadable(e);
    }
  }

  private static ApiException unreadable(StorageException cause) {
    return ApiException.badRequest("the body cannot be read: " + cause.getMessage());
  }

  JsonNode parse(ApiRequest request) throws ApiException {
    try {
      return json.parse(request.body());
    } catch (StorageException e) {
      throw unreadable(e);
    }
  }

  /** Parses the body as a resource of a kind. */
  <R extends Resource<R>> Decoded<R> resource(ApiRequest request, ResourceKind<R> kind)
      throws ApiException, StorageException {
    return resource(request, kind, json(request));
  }

  /** Converts a tree to a resource of a kind, with the request's fieldValidation. */
  <R extends Resource<R>> Decoded<R> resource(
      ApiRequest request, ResourceKind<R> kind, JsonNode tree)
      throws ApiException, StorageException {
    String validation = request.parameter("fieldValidation").orElse("Warn");
    if (!VALIDATIONS.contains(validation)) {
      throw ApiException.badRequest(
          "fieldValidation must be Strict, Warn or Ignore, not \"" + validation + "\"");
    }
    requireKind(tree, kind);
    R resource = json.decode(kind, tree, ResourceJson.Mode.LENIENT);
    List<String> unknown =
        validation.equals("Ignore") ? List.<String>of() : unknownFields(kind, tree);
    if (validation.equals("Strict") && !unknown.isEmpty()) {
      throw ApiException.badRequest(
          kind.kind()
              + " in version \""
              + ResourceKind.VERSION
              + "\" cannot be handled as a "
              + kind.kind()
              + ": strict decoding error: "
              + String.join(", ", unknown));
    }
    return new Decoded<>(resource, unknown);
  }

  private static void requireKind(JsonNode tree, ResourceKind<?> kind) throws ApiException {
    String apiVersion = tree.path("apiVersion").asText("");
    String name = tree.path("kind").asText("");
    if (!apiVersion.equals(ResourceKind.API_VERSION) || !name.equals(kind.kind())) {
      throw ApiException.badRequest(
          "the body must be a "
              + kind.kind()
              + " of "
              + ResourceKind.API_VERSION
              + ", but its apiVersion is \""
              + apiVersion
              + "\" and its kind is \""
              + name
              + "\"");
    }
  }

  private <R extends Resource<R>> List<String> unknownFields(ResourceKind<R> kind, JsonNode tree) {
    try {
      json.decode(kind, tree, ResourceJson.Mode.STRICT);
      return List.of();
    } catch (InvalidResourceException e) {
      return e.errors().stream()
          .filter(error -> error.message().equals(UNKNOWN))
          .map(FieldError::field)
          .map(field -> UNKNOWN + " \"" + field + "\"")
          .toList();
    }
  }

  /** Reads DeleteOptions from the body and the query. */
  DeleteOptions deleteOptions(ApiRequest request) throws ApiException {
    JsonNode body = request.body().isEmpty() ? json.mapper().createObjectNode() : json(request);
    if (!body.isObject()) {
      throw ApiException.badRequest("the body of a deletion must be DeleteOptions");
    }
    boolean inBody = false;
    for (JsonNode value : body.path("dryRun")) {
      inBody |= isDryRun(value.asText());
    }
    boolean inQuery = dryRun(request);
    return new DeleteOptions(
        body.path("preconditions").path("uid").asText(""),
        body.path("preconditions").path("resourceVersion").asText(""),
        inBody || inQuery);
  }

  /**
   * Options of a deletion.
   *
   * @param uid required uid, empty for any
   * @param resourceVersion required version, empty for any
   * @param dryRun whether the deletion is only validated
   */
  record DeleteOptions(String uid, String resourceVersion, boolean dryRun) {}

  static boolean dryRun(ApiRequest request) throws ApiException {
    boolean dryRun = false;
    for (String value : request.query().getOrDefault("dryRun", List.of())) {
      dryRun |= !value.isEmpty() && isDryRun(value);
    }
    return dryRun;
  }

  private static boolean isDryRun(String value) throws ApiException {
    if (!value.equals("All")) {
      throw ApiException.badRequest("dryRun must be All, not \"" + value + "\"");
    }
    return true;
  }

  ObjectNode tree(Resource<?> resource) {
    return json.tree(resource);
  }
}
