package dev.holdfast.resource;

/**
 * Reference to the resource that owns another one.
 *
 * @param apiVersion of the owner
 * @param kind of the owner
 * @param name of the owner
 * @param uid of the owner
 * @param controller whether the owner manages this resource
 */
public record OwnerReference(
    String apiVersion, String kind, String name, String uid, boolean controller) {
  /** Replaces null components by empty values. */
  public OwnerReference {
    apiVersion = Defaults.text(apiVersion);
    kind = Defaults.text(kind);
    name = Defaults.text(name);
    uid = Defaults.text(uid);
  }

  /** Returns a reference to the managing resource of another one. */
  public static OwnerReference controller(Resource<?> owner) {
    return new OwnerReference(
        ResourceKind.API_VERSION,
        owner.resourceKind().kind(),
        owner.name(),
        owner.metadata().uid(),
        true);
  }
}
