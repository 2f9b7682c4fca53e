package dev.holdfast.access;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The wanted state of an access token. The secret itself is not kept.
 *
 * @param role name of a built-in role or of an AccessRole
 * @param secretHash SHA-256 of the token as 64 hexadecimal digits; it does not change
 * @param expiresAt time after which the token is refused; without it the token does not expire
 * @param description purpose of the token
 */
@RecordBuilder
public record AccessTokenSpec(
    String role, String secretHash, Optional<Instant> expiresAt, String description)
    implements AccessTokenSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final AccessTokenSpec EMPTY = AccessTokenSpecBuilder.builder().build();

  private static final int LONGEST_DESCRIPTION = 1024;

  /** Replaces null components by their defaults. */
  public AccessTokenSpec {
    role = Defaults.text(role);
    secretHash = Defaults.text(secretHash);
    expiresAt = Defaults.optional(expiresAt);
    description = Defaults.text(description);
  }

  List<FieldError> validate(ObjectMeta metadata) {
    return new Checks()
        .name(metadata.name(), "metadata.name")
        .that(
            !metadata.name().equals(Caller.LOCAL_ADMIN),
            "metadata.name",
            metadata.name(),
            "must be another name: this one is the token in the files of the node")
        .name(role, "spec.role")
        .that(
            secretHash.matches("[0-9a-f]{64}"),
            "spec.secretHash",
            secretHash,
            "must be the SHA-256 of the token as 64 hexadecimal digits:"
                + " make the token with 'holdfast token create'")
        .that(
            description.length() <= LONGEST_DESCRIPTION,
            "spec.description",
            description.length() + " characters",
            "must have at most " + LONGEST_DESCRIPTION + " characters")
        .errors();
  }

  List<FieldError> validateChange(AccessTokenSpec earlier) {
    return new Checks().immutable(earlier.secretHash(), secretHash, "spec.secretHash").errors();
  }
}
