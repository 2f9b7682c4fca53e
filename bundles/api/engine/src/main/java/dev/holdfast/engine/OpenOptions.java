package dev.holdfast.engine;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/**
 * How a volume is opened, beyond what it is.
 *
 * @param salvage names of the replicas whose content a person declared to be the volume's, though
 *     the engine cannot know it; empty to let the engine decide by its rule alone; not null
 * @param flushedOnly whether after a loss of power a part of the current replicas is enough, at the
 *     price of writes that were acknowledged but not flushed
 * @param replicaTimeout how long a replica may take for a request before it is dropped, not null
 */
public record OpenOptions(Set<String> salvage, boolean flushedOnly, Duration replicaTimeout) {
  /** Nothing declared, nothing given up, eight seconds. */
  public static final OpenOptions DEFAULT = new OpenOptions(Set.of(), false, Duration.ofSeconds(8));

  /** Copies the set and checks that nothing is missing. */
  public OpenOptions {
    salvage = Set.copyOf(salvage);
    Objects.requireNonNull(replicaTimeout, "replicaTimeout");
    if (replicaTimeout.isNegative() || replicaTimeout.isZero()) {
      throw new IllegalArgumentException("replicaTimeout: must be positive: " + replicaTimeout);
    }
  }
}
