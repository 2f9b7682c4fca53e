package dev.holdfast.resource;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Metadata of a resource, as in Kubernetes' {@code ObjectMeta}.
 *
 * @param name unique in its kind: a DNS subdomain (RFC 1123) of at most 253 characters
 * @param uid assigned by the store at creation, empty before
 * @param resourceVersion changed by the store at every write; opaque; empty before creation
 * @param generation raised by the store at every change of the spec; 0 before creation
 * @param creationTimestamp set by the store, to the second
 * @param deletionTimestamp set by the store when deletion was requested and finalizers remain
 * @param labels keys and values for selection
 * @param annotations keys and values for other purposes
 * @param finalizers names that keep a deleted resource until their owners have removed them
 * @param ownerReferences resources to which this one belongs
 * @param managedFields the client that last set each field; empty until the first server-side apply
 */
@RecordBuilder
public record ObjectMeta(
    String name,
    String uid,
    String resourceVersion,
    long generation,
    Optional<Instant> creationTimestamp,
    Optional<Instant> deletionTimestamp,
    Map<String, String> labels,
    Map<String, String> annotations,
    List<String> finalizers,
    List<OwnerReference> ownerReferences,
    List<ManagedFields> managedFields)
    implements ObjectMetaBuilder.With {
  /** Replaces null components by empty values and copies the collections. */
  public ObjectMeta {
    name = Defaults.text(name);
    uid = Defaults.text(uid);
    resourceVersion = Defaults.text(resourceVersion);
    creationTimestamp = Defaults.optional(creationTimestamp);
    deletionTimestamp = Defaults.optional(deletionTimestamp);
    labels = Defaults.map(labels);
    annotations = Defaults.map(annotations);
    finalizers = Defaults.list(finalizers);
    ownerReferences = Defaults.list(ownerReferences);
    managedFields = Defaults.list(managedFields);
  }

  /** Returns metadata for a new resource. */
  public static ObjectMeta named(String name) {
    return ObjectMetaBuilder.builder().name(name).build();
  }

  /** Returns whether the finalizer is present. */
  public boolean hasFinalizer(String finalizer) {
    return finalizers.contains(finalizer);
  }

  /** Returns these metadata with the finalizer, added at most once. */
  public ObjectMeta plusFinalizer(String finalizer) {
    return hasFinalizer(finalizer) ? this : withFinalizers(Defaults.plus(finalizers, finalizer));
  }

  /** Returns these metadata without the finalizer. */
  public ObjectMeta minusFinalizer(String finalizer) {
    return withFinalizers(finalizers.stream().filter(f -> !f.equals(finalizer)).toList());
  }
}
