package dev.holdfast.resource;

/**
 * Names the resource that another one belongs to.
 *
 * @param apiVersion of the owner
 * @param kind of the owner
 * @param name of the owner
 * @param uid of the owner
 * @param controller whether the owner manages this resource
 */
public record OwnerReference(
    String apiVersion, String kind, String name, String uid, boolean controller) {
  /** Replaces what is null by its empty value. */
  public OwnerReference {
    apiVersion = Defaults.text(apiVersion);
    kind = Defaults.text(kind);
    name = Defaults.text(name);
    uid = Defaults.text(uid);
  }

  /** A reference to the resource that manages another one. */
  public static OwnerReference controller(Resource<?> owner) {
    return new OwnerReference(
        ResourceKind.API_VERSION,
        owner.resourceKind().kind(),
        owner.name(),
        owner.metadata().uid(),
        true);
  }
}
