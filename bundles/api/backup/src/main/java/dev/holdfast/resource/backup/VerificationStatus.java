package dev.holdfast.resource.backup;

import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Result of the last verification of a backup.
 *
 * @param request the spec.verifyRequest of this result; empty before the first verification
 * @param verifiedAt time at which the verification was completed
 * @param blocks number of blocks that were compared with their checksums
 * @param damagedBlocks number of blocks that are missing or have wrong content
 * @param damaged the first of these blocks, with offset, length, object and reason
 * @param error cause why the requested verification is not complete; empty for none
 */
@RecordBuilder
public record VerificationStatus(
    String request,
    Optional<Instant> verifiedAt,
    int blocks,
    int damagedBlocks,
    List<String> damaged,
    String error)
    implements VerificationStatusBuilder.With {
  /** The value with all fields at their defaults. */
  public static final VerificationStatus EMPTY = VerificationStatusBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public VerificationStatus {
    request = Defaults.text(request);
    verifiedAt = Defaults.optional(verifiedAt);
    damaged = Defaults.list(damaged);
    error = Defaults.text(error);
  }
}
