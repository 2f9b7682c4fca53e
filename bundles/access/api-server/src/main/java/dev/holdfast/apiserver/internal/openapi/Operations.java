package dev.holdfast.apiserver.internal.openapi;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/**
 * The paths of an OpenAPI document. The paths tell clients the kind at each path, and the support
 * of dryRun and fieldValidation.
 */
final class Operations {
  private final List<ResourceKind<?>> kinds;
  private final Schemas schemas;
  private final boolean third;

  /**
   * Prepares the paths.
   *
   * @param kinds that are served
   * @param schemas to refer to
   * @param third whether the document has OpenAPI 3; otherwise OpenAPI 2
   */
  Operations(List<ResourceKind<?>> kinds, Schemas schemas, boolean third) {
    this.kinds = kinds;
    this.schemas = schemas;
    this.third = third;
  }

  /** A verb at a path: its method, action and query parameters. */
  private record Verb(String method, String action, List<String> parameters) {}

  private static final List<String> WRITE = List.of("dryRun", "fieldManager", "fieldValidation");
  private static final List<String> PATCH =
      List.of("dryRun", "fieldManager", "fieldValidation", "force");
  private static final List<String> LIST =
      List.of(
          "labelSelector",
          "fieldSelector",
          "limit",
          "continue",
          "resourceVersion",
          "watch",
          "allowWatchBookmarks",
          "sendInitialEvents",
          "timeoutSeconds");
  private static final List<Verb> COLLECTION =
      List.of(
          new Verb("get", "list", LIST),
          new Verb("post", "post", WRITE),
          new Verb(
              "delete", "deletecollection", List.of("labelSelector", "fieldSelector", "dryRun")));
  private static final List<Verb> SINGLE =
      List.of(
          new Verb("get", "get", List.of()),
          new Verb("put", "put", WRITE),
          new Verb("patch", "patch", PATCH),
          new Verb("delete", "delete", List.of("dryRun")));
  private static final List<Verb> STATUS =
      List.of(
          new Verb("get", "get", List.of()),
          new Verb("put", "put", WRITE),
          new Verb("patch", "patch", WRITE));

  ObjectNode paths() {
    ObjectNode paths = JsonNodeFactory.instance.objectNode();
    for (ResourceKind<?> kind : kinds) {
      String collection = "/apis/" + ResourceKind.API_VERSION + "/" + kind.plural();
      addPath(paths, collection, kind, COLLECTION);
      addPath(paths, collection + "/{name}", kind, SINGLE);
      addPath(paths, collection + "/{name}/status", kind, STATUS);
    }
    return paths;
  }

  private void addPath(ObjectNode paths, String path, ResourceKind<?> kind, List<Verb> verbs) {
    ObjectNode item = paths.putObject(path);
    for (Verb verb : verbs) {
      item.set(verb.method(), operation(verb, path, kind));
    }
    if (path.contains("{name}")) {
      ObjectNode name = parameter("name", "path");
      name.put("required", true);
      item.putArray("parameters").add(name);
    }
  }

  private ObjectNode operation(Verb verb, String path, ResourceKind<?> kind) {
    boolean list = verb.action().equals("list");
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    String of = path.endsWith("/status") ? " status of " : " ";
    node.put("description", verb.action() + of + kind.plural());
    node.put(
        "operationId", verb.action() + (path.endsWith("/status") ? "Status" : "") + kind.kind());
    ArrayNode parameters = node.putArray("parameters");
    verb.parameters().forEach(name -> parameters.add(parameter(name, "query")));
    ObjectNode schema = schemas.reference(Schemas.nameOf(kind) + (list ? "List" : ""));
    ObjectNode ok = node.putObject("responses").putObject("200");
    ok.put("description", "OK");
    if (third) {
      ok.putObject("content").putObject("application/json").set("schema", schema);
    } else {
      ok.set("schema", schema);
    }
    node.put("x-kubernetes-action", verb.action());
    node.set(Schemas.GVK, Schemas.groupVersionKind(kind, ""));
    return node;
  }

  private ObjectNode parameter(String name, String in) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("name", name);
    node.put("in", in);
    String type =
        switch (name) {
          case "limit", "timeoutSeconds" -> "integer";
          case "force", "watch", "allowWatchBookmarks", "sendInitialEvents" -> "boolean";
          default -> "string";
        };
    (third ? node.putObject("schema") : node).put("type", type);
    return node;
  }
}
