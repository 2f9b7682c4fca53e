package dev.holdfast.engine;

import java.util.List;
import java.util.Objects;

/**
 * A part of a snapshot whose correct content is unknown. The engine leaves it unchanged on every
 * replica.
 *
 * @param offset first byte
 * @param length in bytes
 * @param replicas names of the replicas whose content may be wrong, not null
 * @param reason why the correct content is unknown, for users, not null
 */
public record DamagedRange(long offset, long length, List<String> replicas, String reason) {
  /** Copies the list and rejects null components. */
  public DamagedRange {
    replicas = List.copyOf(replicas);
    Objects.requireNonNull(reason, "reason");
  }
}
