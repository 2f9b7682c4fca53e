package dev.holdfast.upgrade;

import java.time.Instant;
import java.util.Objects;

/**
 * Failure of a bundle to take over a session or a volume, which then returned to the former bundle
 * or waits.
 *
 * @param time time by the node's clock, not null
 * @param bundle the OSGi number of the bundle that failed
 * @param subject name of the volume, not null
 * @param reason cause for users, not null
 */
public record TakeOverFailure(Instant time, long bundle, String subject, String reason) {

  /** Checks the values. */
  public TakeOverFailure {
    Objects.requireNonNull(time, "time");
    Objects.requireNonNull(subject, "subject");
    Objects.requireNonNull(reason, "reason");
  }
}
