package dev.holdfast.frontend.nbd.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.ReplaceableSession;
import dev.holdfast.frontend.SessionState;
import java.nio.ByteBuffer;
import java.util.Optional;

/** One client: first option negotiation, then transmission. */
final class NbdSession implements ReplaceableSession {
  private final Handshake handshake;
  private Optional<Transmission> transmission;

  private NbdSession(Handshake handshake, Optional<Transmission> transmission) {
    this.handshake = handshake;
    this.transmission = transmission;
  }

  static NbdSession greet(FrontendConnection connection) {
    Handshake handshake = new Handshake(connection);
    handshake.greet();
    return new NbdSession(handshake, Optional.empty());
  }

  /**
   * Resumes the state of another session.
   *
   * @throws StorageException UNSUPPORTED when its version or phase is unknown
   */
  static NbdSession resume(FrontendConnection connection, SessionState state)
      throws StorageException {
    state.requireReadable(SessionFields.FORMAT, SessionFields.VERSION);
    String phase = state.text(SessionFields.PHASE).orElse("");
    return switch (phase) {
      case SessionFields.HANDSHAKE ->
          new NbdSession(Handshake.resume(connection, state), Optional.empty());
      case SessionFields.TRANSMISSION ->
          new NbdSession(
              new Handshake(connection), Optional.of(Transmission.resume(connection, state)));
      default ->
          throw new StorageException(
              ErrorCode.UNSUPPORTED, "the session is in phase '" + phase + "', not known here");
    };
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

  @Override
  public SessionState state() {
    return SessionFields.state(
        transmission.isPresent() ? transmission.get().fields() : handshake.fields());
  }
}
