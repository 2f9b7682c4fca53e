package dev.holdfast.resource;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * Names a resource.
 *
 * @param kind of the resource
 * @param name of the resource
 * @param uid of the resource, empty if not known
 */
@RecordBuilder
public record ObjectReference(String kind, String name, String uid)
    implements ObjectReferenceBuilder.With {
  /** Nothing set. */
  public static final ObjectReference EMPTY = new ObjectReference(null, null, null);

  /** Replaces what is null by its default and copies the collections. */
  public ObjectReference {
    kind = Defaults.text(kind);
    name = Defaults.text(name);
    uid = Defaults.text(uid);
  }
}
