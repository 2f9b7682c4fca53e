package dev.holdfast.resource;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * Reference to a resource.
 *
 * @param kind of the resource
 * @param name of the resource
 * @param uid of the resource, empty if unknown
 */
@RecordBuilder
public record ObjectReference(String kind, String name, String uid)
    implements ObjectReferenceBuilder.With {
  /** A reference without any field set. */
  public static final ObjectReference EMPTY = new ObjectReference(null, null, null);

  /** Replaces null components by their defaults and copies the collections. */
  public ObjectReference {
    kind = Defaults.text(kind);
    name = Defaults.text(name);
    uid = Defaults.text(uid);
  }
}
