package dev.holdfast.engine;

import java.util.List;
import java.util.Objects;

/**
 * A part of a snapshot whose right content is unknown. It is left as it is on every replica.
 *
 * @param offset first byte
 * @param length in bytes
 * @param replicas names of those that may be wrong, not null
 * @param reason why the right content is unknown, for a person, not null
 */
public record DamagedRange(long offset, long length, List<String> replicas, String reason) {
  /** Copies the list and checks that nothing is missing. */
  public DamagedRange {
    replicas = List.copyOf(replicas);
    Objects.requireNonNull(reason, "reason");
  }
}
