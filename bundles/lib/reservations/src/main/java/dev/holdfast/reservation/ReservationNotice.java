package dev.holdfast.reservation;

import java.util.Objects;

/**
 * Notice to a registrant about another one's change.
 *
 * @param number of the notice, rising from 1
 * @param nexus receiver of the notice, not null
 * @param kind what happened, not null
 */
public record ReservationNotice(long number, String nexus, Kind kind) {

  /** The kinds of changes. */
  public enum Kind {
    /** All registrations and the reservation were cleared. */
    RESERVATION_PREEMPTED,
    /** The reservation was released, or has another type now. */
    RESERVATION_RELEASED,
    /** The receiver's registration was removed. */
    REGISTRATION_PREEMPTED
  }

  /** Checks the parts. */
  public ReservationNotice {
    Objects.requireNonNull(nexus, "nexus");
    Objects.requireNonNull(kind, "kind");
  }
}
