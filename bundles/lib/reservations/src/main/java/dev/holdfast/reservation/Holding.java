package dev.holdfast.reservation;

import java.util.Objects;

/**
 * The reservation that is held.
 *
 * @param type not null
 * @param nexus identifier of the holder, not null; where {@link ReservationType#allHold} one of the
 *     holders
 */
public record Holding(ReservationType type, String nexus) {

  /** Checks the parts. */
  public Holding {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(nexus, "nexus");
  }
}
