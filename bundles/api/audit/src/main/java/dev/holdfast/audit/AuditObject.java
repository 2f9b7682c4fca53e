package dev.holdfast.audit;

import java.util.Objects;

/**
 * The object of a request.
 *
 * @param kind plural of the kind, empty for a path outside of the kinds
 * @param subresource such as status, empty for the resource itself
 * @param name of the resource, empty for all of the kind
 * @param uri path of the request with its parameters; never contains a secret
 */
public record AuditObject(String kind, String subresource, String name, String uri) {
  /** Rejects null components. */
  public AuditObject {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(subresource, "subresource");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(uri, "uri");
  }
}
