package dev.holdfast.reservation;

import java.util.Objects;

/**
 * A reservation that its holder hands over.
 *
 * @param destination who has it afterwards, registered or not, not null
 * @param key of the destination from now on
 * @param unregisters whether the one who hands it over is registered no more
 * @param survives whether everything is to survive a loss of power from now on
 * @since 1.2
 */
public record ReservationMove(String destination, long key, boolean unregisters, boolean survives) {
  /** Checks the parts. */
  public ReservationMove {
    Objects.requireNonNull(destination, "destination");
  }
}
