package dev.holdfast.sharing.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells for how long this process has seen something unchanged. Times that other nodes recorded are
 * other machines' clocks, and are not compared with ours. A restart begins again, so that a wait
 * can become longer and never shorter. Thread-safe.
 */
final class Stopwatches {
  private final Map<String, Seen> seen = new ConcurrentHashMap<>();

  /**
   * Something that was seen.
   *
   * @param content that did not change since
   * @param at when it was seen first
   */
  private record Seen(Object content, Instant at) {}

  /** Returns for how long a subject has had a content; zero at first sight. */
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
