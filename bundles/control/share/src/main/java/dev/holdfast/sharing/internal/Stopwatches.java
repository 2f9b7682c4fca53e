package dev.holdfast.sharing.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Measures for how long this process has observed a subject unchanged. Times that other nodes
 * recorded come from other clocks, and are not compared with the local clock. A restart of the
 * process starts the measurement again, so that a wait can become longer but never shorter.
 * Thread-safe.
 */
final class Stopwatches {
  private final Map<String, Seen> seen = new ConcurrentHashMap<>();

  /**
   * An observation.
   *
   * @param content that did not change since
   * @param at time of the first observation
   */
  private record Seen(Object content, Instant at) {}

  /** Returns the time for which a subject has had a content; zero at the first observation. */
  Duration since(String subject, Object content, Instant now) {
    Seen last =
        seen.merge(
            subject,
            new Seen(content, now),
            (earlier, later) -> Objects.equals(earlier.content(), content) ? earlier : later);
    Duration passed = Duration.between(last.at(), now);
    return passed.isNegative() ? Duration.ZERO : passed;
  }

  void forget(String subject) {
    seen.remove(subject);
  }
}
