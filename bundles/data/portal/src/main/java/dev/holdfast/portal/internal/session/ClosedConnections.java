package dev.holdfast.portal.internal.session;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports connections that are closed because of their clients: the first immediately, those of the
 * next minute together, so that clients cannot fill the log. Thread-safe.
 */
public final class ClosedConnections {
  private static final Logger LOG = LoggerFactory.getLogger(ClosedConnections.class);
  private static final Duration PAUSE = Duration.ofMinutes(1);

  private final InstantSource clock;
  private final Consumer<String> log;
  private Instant next = Instant.MIN;
  private int more;
  private String last = "";

  public ClosedConnections(InstantSource clock) {
    this(clock, LOG::warn);
  }

  ClosedConnections(InstantSource clock, Consumer<String> log) {
    this.clock = clock;
    this.log = log;
  }

  /** Records a closed connection with its frontend, its client and the reason. */
  void add(String why) {
    LOG.debug("{}; closed", why);
    synchronized (this) {
      if (clock.instant().isBefore(next)) {
        more++;
        last = why;
        return;
      }
    }
    report();
    synchronized (this) {
      next = clock.instant().plus(PAUSE);
    }
    log.accept(why + "; closed");
  }

  /** Reports the connections that were counted for a minute; called periodically. */
  public void report() {
    int count;
    String why;
    synchronized (this) {
      if (more == 0 || clock.instant().isBefore(next)) {
        return;
      }
      count = more;
      why = last;
      more = 0;
      next = clock.instant().plus(PAUSE);
    }
    log.accept(count + " more connections were closed in the last minute, the last: " + why);
  }
}
