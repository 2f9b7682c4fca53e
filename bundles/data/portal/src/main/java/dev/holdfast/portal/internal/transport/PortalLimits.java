package dev.holdfast.portal.internal.transport;

import java.time.Duration;
import java.util.Objects;

/**
 * Limits for clients.
 *
 * @param connections open connections of one frontend
 * @param replies replies of one connection that are taken but not yet sent
 * @param replyBytes bytes of those replies
 * @param bufferBytes bytes of input and output buffers of the whole portal
 * @param handshake time from a connection's first byte until it uses an export
 * @param stall time for which a client may leave a message half sent or a reply unread
 * @param grace time in which a withdrawn export's connections may send their last replies
 * @param replacement maximum duration of the replacement of a frontend
 * @param late duration after which a call into a session is reported as hanging
 */
public record PortalLimits(
    int connections,
    int replies,
    long replyBytes,
    long bufferBytes,
    Duration handshake,
    Duration stall,
    Duration grace,
    ReplacementLimits replacement,
    Duration late) {
  private static final long MOST_REPLY_BYTES = 64L << 20;

  /** Number of clients that must leave replies unread to occupy all buffers. */
  private static final int CLIENTS_IN_SHARE = 8;

  static final Duration LATE = Duration.ofSeconds(60);

  public PortalLimits {
    Objects.requireNonNull(handshake, "handshake");
    Objects.requireNonNull(stall, "stall");
    Objects.requireNonNull(grace, "grace");
    Objects.requireNonNull(replacement, "replacement");
    Objects.requireNonNull(late, "late");
  }

  /** Returns limits with the default ones for replacements and late calls. */
  public static PortalLimits of(
      int connections,
      int replies,
      long replyBytes,
      long bufferBytes,
      Duration handshake,
      Duration stall,
      Duration grace) {
    return new PortalLimits(
        connections,
        replies,
        replyBytes,
        bufferBytes,
        handshake,
        stall,
        grace,
        ReplacementLimits.standard(),
        LATE);
  }

  public static PortalLimits standard() {
    long share = DirectMemory.share();
    return PortalLimits.of(
        512,
        1024,
        Math.min(MOST_REPLY_BYTES, share / CLIENTS_IN_SHARE),
        share,
        Duration.ofSeconds(30),
        Duration.ofSeconds(60),
        Duration.ofSeconds(5));
  }
}
