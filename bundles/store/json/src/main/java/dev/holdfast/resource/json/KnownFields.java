package dev.holdfast.resource.json;

import dev.holdfast.resource.ManagedFields;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.OwnerReference;
import java.util.Set;

/** Fields of Kubernetes' metadata that clients send and that have no effect here. */
final class KnownFields {
  private static final Set<String> METADATA =
      Set.of(
          "namespace",
          "selfLink",
          "generateName",
          "clusterName",
          "deletionGracePeriodSeconds",
          "initializers");
  private static final Set<String> OWNER_REFERENCE = Set.of("blockOwnerDeletion");

  /** A field of managers of a status; a status is never applied here. */
  private static final Set<String> MANAGED_FIELDS = Set.of("subresource");

  private KnownFields() {}

  static Set<String> ignoredIn(Class<?> type) {
    if (type == ObjectMeta.class) {
      return METADATA;
    } else if (type == ManagedFields.class) {
      return MANAGED_FIELDS;
    }
    return type == OwnerReference.class ? OWNER_REFERENCE : Set.of();
  }
}
