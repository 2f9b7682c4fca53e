package dev.holdfast.reservation;

import java.util.Objects;

/**
 * A hand-over of a reservation by its holder.
 *
 * @param destination the next holder, registered or not, not null
 * @param key new key of the destination
 * @param unregisters whether the former holder is unregistered
 * @param survives whether the state must survive a loss of power from then on
 * @since 1.2
 */
public record ReservationMove(String destination, long key, boolean unregisters, boolean survives) {
  /** Checks the parts. */
  public ReservationMove {
    Objects.requireNonNull(destination, "destination");
  }
}
