package dev.holdfast.upgrade;

import java.time.Instant;
import java.util.Objects;

/**
 * A bundle failed to take over a session or a volume, which then went back or waits.
 *
 * @param time when, by the node's clock, not null
 * @param bundle the OSGi number of the bundle that failed
 * @param subject what it failed to take: the volume's name, not null
 * @param reason for a person: what went wrong, not null
 */
public record TakeOverFailure(Instant time, long bundle, String subject, String reason) {

  /** Checks the values. */
  public TakeOverFailure {
    Objects.requireNonNull(time, "time");
    Objects.requireNonNull(subject, "subject");
    Objects.requireNonNull(reason, "reason");
  }
}
