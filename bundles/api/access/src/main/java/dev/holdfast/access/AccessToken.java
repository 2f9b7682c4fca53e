package dev.holdfast.access;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/**
 * A bearer token of a user or a program, with its role and its expiry.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record AccessToken(ObjectMeta metadata, AccessTokenSpec spec, AccessTokenStatus status)
    implements Resource<AccessToken> {
  /** Names, Java type and printed columns of the kind. */
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

  /** Replaces null components by empty values. */
  public AccessToken {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, AccessTokenSpec.EMPTY);
    status = Defaults.or(status, AccessTokenStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
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
