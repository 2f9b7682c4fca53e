package dev.holdfast.reservation;

import java.util.Objects;

/**
 * A participant in reservations.
 *
 * @param nexus the registrant in the protocol's form (an initiator port, a host identifier),
 *     without line breaks; not blank
 * @param key key by which other participants name it; never 0
 */
public record Registration(String nexus, long key) {

  /** Checks the parts. */
  public Registration {
    if (Objects.requireNonNull(nexus, "nexus").isBlank() || nexus.indexOf('\n') >= 0) {
      throw new IllegalArgumentException("a registrant has a name of one line");
    }
    if (key == 0) {
      throw new IllegalArgumentException("a registration's key is not 0");
    }
  }
}
