package dev.holdfast.access;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/**
 * A bearer token of a user or a program, with its role and its end.
 *
 * @param metadata name and bookkeeping
 * @param spec what is wanted
 * @param status what is observed
 */
public record AccessToken(ObjectMeta metadata, AccessTokenSpec spec, AccessTokenStatus status)
    implements Resource<AccessToken> {
  /** The kind. */
  public static final ResourceKind<AccessToken> KIND =
      new ResourceKind<>(
          "AccessToken",
          "accesstokens",
          List.of("hfat"),
          AccessToken.class,
          "A bearer token of a user or a program, with its role and its end.",
          List.of(
              ResourceKind.Column.of("Role", "string", ".spec.role", "The role."),
              ResourceKind.Column.of(
                  "Expires", "string", ".spec.expiresAt", "End of the validity of the token."),
              ResourceKind.Column.of(
                  "Last Used", "date", ".status.lastUsedAt", "Time of a recent request."),
              ResourceKind.Column.wide(
                  "From", "string", ".status.lastUsedFrom", "Address of a recent request."),
              ResourceKind.Column.wide(
                  "Description", "string", ".spec.description", "Purpose of the token.")));

  /** Replaces what is null by its empty value. */
  public AccessToken {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, AccessTokenSpec.EMPTY);
    status = Defaults.or(status, AccessTokenStatus.EMPTY);
  }

  /** A resource that is to be created. */
  public static AccessToken of(String name, AccessTokenSpec spec) {
    return new AccessToken(ObjectMeta.named(name), spec, AccessTokenStatus.EMPTY);
  }

  @Override
  public ResourceKind<AccessToken> resourceKind() {
    return KIND;
  }

  @Override
  public AccessToken withMetadata(ObjectMeta newMetadata) {
    return new AccessToken(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public AccessToken withSpec(AccessTokenSpec newSpec) {
    return new AccessToken(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public AccessToken withStatus(AccessTokenStatus newStatus) {
    return new AccessToken(metadata, spec, newStatus);
  }

  @Override
  public AccessToken withSpecOf(AccessToken other) {
    return withSpec(other.spec());
  }

  @Override
  public AccessToken withStatusOf(AccessToken other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate(metadata);
  }

  @Override
  public List<FieldError> validateChange(AccessToken earlier) {
    return spec.validateChange(earlier.spec());
  }
}
