package dev.holdfast.apiserver.internal.resources;

import java.time.Duration;

/**
 * Limits of watches.
 *
 * @param backlog number of changes that may wait for a slow client before its watch ends
 * @param heartbeat interval of heartbeats on an idle stream, which detect a lost client
 * @param lifetime lifetime of a watch without a timeout of its client
 * @param writeLimit longest time without progress of a client that reads a watch or another answer
 */
public record WatchSettings(
    int backlog, Duration heartbeat, Duration lifetime, Duration writeLimit) {
  /** The limits for production. */
  public static final WatchSettings DEFAULT =
      new WatchSettings(
          1000, Duration.ofSeconds(30), Duration.ofMinutes(45), Duration.ofSeconds(30));
}
