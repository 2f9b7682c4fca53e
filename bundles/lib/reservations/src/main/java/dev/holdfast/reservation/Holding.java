package dev.holdfast.reservation;

import java.util.Objects;

/**
 * A held reservation.
 *
 * @param type not null
 * @param nexus identifier of the holder, not null; one of the holders if {@link
 *     ReservationType#allHold}
 */
public record Holding(ReservationType type, String nexus) {

  /** Checks the parts. */
  public Holding {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(nexus, "nexus");
  }
}
