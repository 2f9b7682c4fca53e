package dev.holdfast.frontend.nbd.internal;

import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendSession;
import java.nio.ByteBuffer;
import java.util.Optional;

/** One client: first haggling over options, then transmission. */
final class NbdSession implements FrontendSession {
  private final Handshake handshake;
  private Optional<Transmission> transmission = Optional.empty();

  private NbdSession(Handshake handshake) {
    this.handshake = handshake;
  }

  static NbdSession greet(FrontendConnection connection) {
    Handshake handshake = new Handshake(connection);
    handshake.greet();
    return new NbdSession(handshake);
  }

  @Override
  public int received(ByteBuffer input) {
    if (transmission.isEmpty()) {
      int needed = handshake.received(input);
      transmission = handshake.outcome();
      if (transmission.isEmpty()) {
        return needed;
      }
    }
    return transmission.get().received(input);
  }

  @Override
  public void stop(Runnable stopped) {
    if (transmission.isPresent()) {
      transmission.get().stop(stopped);
    } else {
      stopped.run();
    }
  }
}
