package dev.holdfast.upgrade;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * State of one part: the bundles that offer it and their present work.
 *
 * @param name for example {@code nbd} or {@code sparse}, not null
 * @param bundles all bundles that offer the part, lowest version first, including idle ones; not
 *     null, empty while the work waits for a bundle
 * @param parked number of sessions or volumes that are not served at present, because they are
 *     being moved or wait for a bundle; at least 0
 * @param failures failed take-overs, oldest first, not null; contains the most recent ones, and
 *     those of a bundle at least while it is installed
 * @param lastPauses pauses of the sessions or volumes during the last take-over; not null, empty
 *     before the first
 */
public record ReplaceablePart(
    String name,
    List<ServingBundle> bundles,
    int parked,
    List<TakeOverFailure> failures,
    List<Duration> lastPauses) {

  /** Copies the lists. */
  public ReplaceablePart {
    Objects.requireNonNull(name, "name");
    bundles = List.copyOf(bundles);
    failures = List.copyOf(failures);
    lastPauses = List.copyOf(lastPauses);
    if (parked < 0) {
      throw new IllegalArgumentException("part " + name + ": parked is negative: " + parked);
    }
  }
}
