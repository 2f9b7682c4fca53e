package dev.holdfast.portal.internal.session;

import dev.holdfast.portal.internal.transport.PortalLimits;
import dev.holdfast.portal.internal.transport.Watchdog;
import java.util.Optional;

/**
 * Time limits of a client: for its handshake, to send the rest of a message, and to accept replies.
 * Written by the connection's thread, read by the watchdog's; in ticks.
 */
final class ClientTimeouts {
  private final int handshakeTicks;
  private final int stallTicks;
  private volatile int handshakeSince;
  private volatile int messageSince;

  ClientTimeouts(PortalLimits limits) {
    this.handshakeTicks = Watchdog.ticks(limits.handshake());
    this.stallTicks = Watchdog.ticks(limits.stall());
  }

  int stallTicks() {
    return stallTicks;
  }

  void handshakeBegins(int now) {
    handshakeSince = now;
  }

  void handshakeOver() {
    handshakeSince = 0;
  }

  /** Restarts the time of a handshake, because no bundle can reply to the client. */
  void waitsForBundle(int now) {
    if (handshakeSince > 0) {
      handshakeSince = now;
    }
  }

  void messageBegan(int now) {
    messageSince = now;
  }

  void messageCame() {
    messageSince = 0;
  }

  /** Returns which limit the client exceeded, if any. */
  Optional<String> exceeded(int now, int writingSince) {
    int handshake = handshakeSince;
    int message = messageSince;
    if (handshake > 0 && now - handshake > handshakeTicks) {
      return Optional.of("did not finish its handshake in time");
    }
    boolean stalled =
        (message != 0 && now - message > stallTicks)
            || (writingSince != 0 && now - writingSince > stallTicks);
    return stalled ? Optional.of("neither sends nor receives bytes") : Optional.empty();
  }
}
