package dev.holdfast.reservation;

import java.util.Objects;

/**
 * Notice to a registrant about a change by another registrant.
 *
 * @param number number of the notice, ascending from 1
 * @param nexus receiver of the notice, not null
 * @param kind kind of the change, not null
 */
public record ReservationNotice(long number, String nexus, Kind kind) {

  /** The kinds of changes. */
  public enum Kind {
    /** All registrations and the reservation were cleared. */
    RESERVATION_PREEMPTED,
    /** The reservation was released or changed its type. */
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
