package dev.holdfast.backup.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Pauses of equal length after failures. A clock that is set back does not extend them.
 * Thread-safe.
 */
public final class Pauses {
  private final Map<String, Instant> ends = new ConcurrentHashMap<>();
  private final Duration length;

  /** Creates pauses of one length. */
  public Pauses(Duration length) {
    this.length = length;
  }

  /** Begins the pause of a name. */
  public void begin(String name, Instant now) {
    ends.put(name, now.plus(length));
  }

  /** Ends the pause of a name. */
  public void end(String name) {
    ends.remove(name);
  }

  /** Returns how long the pause of a name still lasts; empty if it has ended. */
  public Optional<Duration> left(String name, Instant now) {
    return Optional.ofNullable(ends.get(name))
        .filter(end -> end.isAfter(now) && !end.isAfter(now.plus(length)))
        .map(end -> Duration.between(now, end));
  }
}
