package dev.holdfast.apiserver.internal.resources;

import java.time.Duration;

/**
 * How clients are served.
 *
 * @param backlog changes that wait for a slow client before it is cut off
 * @param heartbeat longest silence on a stream; a client that is gone is noticed by then
 * @param lifetime of a watch whose client names none
 * @param writeLimit longest time that a client may take nothing of what is written to it, in
 *     watches and in other answers
 */
public record WatchSettings(
    int backlog, Duration heartbeat, Duration lifetime, Duration writeLimit) {
  /** For production. */
  public static final WatchSettings DEFAULT =
      new WatchSettings(
          1000, Duration.ofSeconds(30), Duration.ofMinutes(45), Duration.ofSeconds(30));
}
