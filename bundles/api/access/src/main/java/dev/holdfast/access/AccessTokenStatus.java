package dev.holdfast.access;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * The observed state of an access token.
 *
 * @param lastUsedAt time of a recent request with the token, at most 5 minutes before the last one
 * @param lastUsedFrom address from which that request came
 */
@RecordBuilder
public record AccessTokenStatus(Optional<Instant> lastUsedAt, String lastUsedFrom)
    implements AccessTokenStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final AccessTokenStatus EMPTY = AccessTokenStatusBuilder.builder().build();

  /** Replaces null components by their defaults. */
  public AccessTokenStatus {
    lastUsedAt = Defaults.optional(lastUsedAt);
    lastUsedFrom = Defaults.text(lastUsedFrom);
  }
}
