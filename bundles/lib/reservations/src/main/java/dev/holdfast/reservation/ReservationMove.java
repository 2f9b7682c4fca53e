package dev.holdfast.reservation;

import java.util.Objects;

/**
 * A reservation that its holder hands over.
 *
 * @param destination the next holder, registered or not, not null
 * @param key new key of the destination
 * @param unregisters whether the former holder is unregistered
 * @param survives whether everything is to survive a loss of power afterwards
 * @since 1.2
 */
public record ReservationMove(String destination, long key, boolean unregisters, boolean survives) {
  /** Checks the parts. */
  public ReservationMove {
    Objects.requireNonNull(destination, "destination");
  }
}
