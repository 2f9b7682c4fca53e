package dev.holdfast.upgrade;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * How one part stands at a moment: which bundles offer it and what each of them serves.
 *
 * @param name for example {@code nbd} or {@code sparse}, not null
 * @param bundles all that offer it, lowest version first, also those that serve nothing; not null,
 *     empty while the work waits for a bundle
 * @param parked how many sessions or volumes are served by no bundle at this moment, because they
 *     are being moved or wait for a bundle; 0 or more
 * @param failures take-overs that failed, oldest first, not null; the last few are kept, and those
 *     of a bundle at least as long as it is installed
 * @param lastPauses of the last take-over: for how long each session or volume was not served; not
 *     null, empty before the first
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
