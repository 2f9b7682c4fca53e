package dev.holdfast.access;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/**
 * A set of rights that tokens and bindings refer to by its name.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record AccessRole(ObjectMeta metadata, AccessRoleSpec spec, AccessRoleStatus status)
    implements Resource<AccessRole> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<AccessRole> KIND =
      new ResourceKind<>(
          "AccessRole",
          "accessroles",
          List.of("hfar"),
          AccessRole.class,
          "A set of rights that tokens and bindings refer to by its name.",
          List.of(
              ResourceKind.Column.of(
                  "Description", "string", ".spec.description", "Purpose of the role.")));

  /** Replaces null components by empty values. */
  public AccessRole {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, AccessRoleSpec.EMPTY);
    status = Defaults.or(status, AccessRoleStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
  public static AccessRole of(String name, AccessRoleSpec spec) {
    return new AccessRole(ObjectMeta.named(name), spec, AccessRoleStatus.EMPTY);
  }

  @Override
  public ResourceKind<AccessRole> resourceKind() {
    return KIND;
  }

  @Override
  public AccessRole withMetadata(ObjectMeta newMetadata) {
    return new AccessRole(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public AccessRole withSpec(AccessRoleSpec newSpec) {
    return new AccessRole(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public AccessRole withStatus(AccessRoleStatus newStatus) {
    return new AccessRole(metadata, spec, newStatus);
  }

  @Override
  public AccessRole withSpecOf(AccessRole other) {
    return withSpec(other.spec());
  }

  @Override
  public AccessRole withStatusOf(AccessRole other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate(metadata);
  }
}
