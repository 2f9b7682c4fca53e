package dev.holdfast.apiserver.internal.http;

import dev.holdfast.resource.ResourceKind;

/**
 * The object of a request, for messages and for the details of a Status.
 *
 * @param group API group of the object
 * @param plural plural of the kind as in URLs
 * @param kind kind of the object
 * @param name name of the object, empty for the collection
 */
public record Target(String group, String plural, String kind, String name) {
  public static Target of(ResourceKind<?> kind, String name) {
    return new Target(ResourceKind.GROUP, kind.plural(), kind.kind(), name);
  }

  /** Returns the plural with its group, as kubectl prints it. */
  String resource() {
    return group.isEmpty() ? plural : plural + "." + group;
  }
}
