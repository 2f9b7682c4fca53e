package dev.holdfast.backuptarget;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Conditions of a put.
 *
 * @param ifAbsent whether the put fails when the object exists
 * @param ifTag the tag that the present object must have, empty for no such condition, not null
 * @param retainUntil until when the target refuses to delete or replace the object, empty for no
 *     retention, not null
 */
public record PutOptions(boolean ifAbsent, Optional<String> ifTag, Optional<Instant> retainUntil) {
  /** Replaces an existing object. */
  public static final PutOptions REPLACE =
      new PutOptions(false, Optional.empty(), Optional.empty());

  /** Fails with CONFLICT when the object exists. */
  public static final PutOptions IF_ABSENT =
      new PutOptions(true, Optional.empty(), Optional.empty());

  /** Checks the components. */
  public PutOptions {
    Objects.requireNonNull(ifTag, "ifTag");
    Objects.requireNonNull(retainUntil, "retainUntil");
    if (ifAbsent && ifTag.isPresent()) {
      throw new IllegalArgumentException("ifAbsent and ifTag exclude each other");
    }
  }
}
