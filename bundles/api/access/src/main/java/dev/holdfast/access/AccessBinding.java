package dev.holdfast.access;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/**
 * Gives the rights of a role to users and groups.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record AccessBinding(ObjectMeta metadata, AccessBindingSpec spec, AccessBindingStatus status)
    implements Resource<AccessBinding> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<AccessBinding> KIND =
      new ResourceKind<>(
          "AccessBinding",
          "accessbindings",
          List.of("hfab"),
          AccessBinding.class,
          "Gives the rights of a role to users and groups.",
          List.of(ResourceKind.Column.of("Role", "string", ".spec.role", "The role.")));

  /** Replaces null components by empty values. */
  public AccessBinding {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, AccessBindingSpec.EMPTY);
    status = Defaults.or(status, AccessBindingStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
  public static AccessBinding of(String name, AccessBindingSpec spec) {
    return new AccessBinding(ObjectMeta.named(name), spec, AccessBindingStatus.EMPTY);
  }

  @Override
  public ResourceKind<AccessBinding> resourceKind() {
    return KIND;
  }

  @Override
  public AccessBinding withMetadata(ObjectMeta newMetadata) {
    return new AccessBinding(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public AccessBinding withSpec(AccessBindingSpec newSpec) {
    return new AccessBinding(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public AccessBinding withStatus(AccessBindingStatus newStatus) {
    return new AccessBinding(metadata, spec, newStatus);
  }

  @Override
  public AccessBinding withSpecOf(AccessBinding other) {
    return withSpec(other.spec());
  }

  @Override
  public AccessBinding withStatusOf(AccessBinding other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate(metadata);
  }
}
