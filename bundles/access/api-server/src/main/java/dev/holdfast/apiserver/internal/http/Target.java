package dev.holdfast.apiserver.internal.http;

import dev.holdfast.resource.ResourceKind;

/**
 * The object that a request is about, for messages and for a Status' details.
 *
 * @param group its API group
 * @param plural its kind as in URLs
 * @param kind its kind
 * @param name its name, empty for the whole collection
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
