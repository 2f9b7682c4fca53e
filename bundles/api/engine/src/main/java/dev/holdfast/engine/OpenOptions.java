package dev.holdfast.engine;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/**
 * Options of an opening.
 *
 * @param salvage names of the replicas whose content an administrator declared to be the volume's
 *     content; empty to let the engine decide by its rules; not null
 * @param flushedOnly whether a part of the current replicas suffices after a loss of power;
 *     acknowledged writes that were not flushed may then be lost
 * @param replicaTimeout time limit for a request to a replica, after which the replica is dropped;
 *     not null
 */
public record OpenOptions(Set<String> salvage, boolean flushedOnly, Duration replicaTimeout) {
  /** Without salvage, all current replicas required, a limit of 8 s. */
  public static final OpenOptions DEFAULT = new OpenOptions(Set.of(), false, Duration.ofSeconds(8));

  /** Copies the set, rejects null components and a limit that is not positive. */
  public OpenOptions {
    salvage = Set.copyOf(salvage);
    Objects.requireNonNull(replicaTimeout, "replicaTimeout");
    if (replicaTimeout.isNegative() || replicaTimeout.isZero()) {
      throw new IllegalArgumentException("replicaTimeout: must be positive: " + replicaTimeout);
    }
  }
}
