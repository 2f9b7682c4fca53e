package dev.holdfast.access;

import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * The properties of a request on which the decision depends.
 *
 * @param verb as in Kubernetes: get, list, watch, create, update, patch, delete, deletecollection;
 *     for a path the method in lower case
 * @param kind plural of the kind, empty for a path
 * @param subresource such as status, empty for the resource itself
 * @param name of the resource; empty for all of a kind, or if the server generates the name
 * @param labels gives the labels of the resource, or those that a list requires; called only when a
 *     rule depends on labels, never null
 * @param path without parameters, empty for a resource
 */
public record AccessRequest(
    String verb,
    String kind,
    String subresource,
    String name,
    Supplier<Map<String, String>> labels,
    String path) {
  /** Rejects null components. */
  public AccessRequest {
    Objects.requireNonNull(verb, "verb");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(subresource, "subresource");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(labels, "labels");
    Objects.requireNonNull(path, "path");
  }

  /** Returns a request for a resource, or for all of a kind if the name is empty. */
  public static AccessRequest of(
      String verb,
      String kind,
      String subresource,
      String name,
      Supplier<Map<String, String>> labels) {
    return new AccessRequest(verb, kind, subresource, name, labels, "");
  }

  /** Returns a request for a path that is not below a kind. */
  public static AccessRequest ofPath(String verb, String path) {
    return new AccessRequest(verb, "", "", "", Map::of, path);
  }

  /** Returns whether the request is for a resource or for all of a kind. */
  public boolean isForResource() {
    return !kind.isEmpty();
  }

  /** Returns whether the request changes resources. */
  public boolean isWrite() {
    return switch (verb) {
      case "get", "list", "watch", "head", "options" -> false;
      default -> true;
    };
  }

  /** Returns verb, kind and name for messages, for example {@code patch volumes "v1"}. */
  public String text() {
    if (!isForResource()) {
      return verb + " " + path;
    }
    return verb
        + " "
        + kind
        + (subresource.isEmpty() ? "" : "/" + subresource)
        + (name.isEmpty() ? "" : " \"" + name + "\"");
  }
}
