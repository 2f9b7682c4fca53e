package dev.holdfast.sharing.internal;

import dev.holdfast.share.ShareManagerSpec;
import dev.holdfast.share.ShareObservation;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Facts from which the step of a share's node is decided.
 *
 * @param spec of the share
 * @param generation of the spec
 * @param size of the volume in bytes
 * @param attached whether the volume is attached to this node with its frontend
 * @param observation of the share on this node; empty if it was not observed
 * @param now the time
 * @param since time at which this process began to observe shares
 */
record ServerFacts(
    ShareManagerSpec spec,
    long generation,
    long size,
    boolean attached,
    Optional<ShareObservation> observation,
    Instant now,
    Instant since) {
  ServerFacts {
    Objects.requireNonNull(spec, "spec");
    Objects.requireNonNull(observation, "observation");
    Objects.requireNonNull(now, "now");
    Objects.requireNonNull(since, "since");
  }

  /** Returns whether this process began to observe shares less than the given time ago. */
  boolean began(Duration ago) {
    return Duration.between(since, now).compareTo(ago) < 0;
  }

  boolean serves() {
    return observation.filter(ShareObservation::serves).isPresent();
  }
}
