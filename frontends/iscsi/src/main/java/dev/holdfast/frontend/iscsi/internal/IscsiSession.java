package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.ReplaceableSession;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.iscsi.internal.pdu.Frame;
import java.nio.ByteBuffer;

/** One connection of an initiator: first a login, then commands. */
final class IscsiSession implements ReplaceableSession {
  private final FrontendConnection connection;
  private final Frame frame = new Frame();
  private IscsiPhase phase;
  private boolean ended;

  private IscsiSession(FrontendConnection connection, IscsiPhase phase) {
    this.connection = connection;
    this.phase = phase;
  }

  static IscsiSession begin(FrontendConnection connection, IscsiContext common) {
    return new IscsiSession(connection, LoginPhase.begin(connection, common));
  }

  /**
   * Resumes the state of another session.
   *
   * @throws StorageException UNSUPPORTED when its version or phase is unknown
   */
  static IscsiSession resume(FrontendConnection connection, IscsiContext common, SessionState state)
      throws StorageException {
    state.requireReadable(SessionFields.FORMAT, SessionFields.VERSION);
    IscsiPhase phase =
        switch (state.text(SessionFields.PHASE).orElse("")) {
          case SessionFields.LOGIN -> LoginPhase.resume(connection, common, state);
          case SessionFields.FULL -> FullFeature.resume(connection, common, state);
          default ->
              throw new StorageException(
                  ErrorCode.UNSUPPORTED, "the session is in a phase that is not known here");
        };
    return new IscsiSession(connection, phase);
  }

  @Override
  public int received(ByteBuffer input) {
    while (!ended && !phase.ended()) {
      switch (frame.find(input, phase.digests(), phase.receiveAtMost())) {
        case PART -> {
          return frame.needed();
        }
        case TOO_LARGE -> ended = true;
        case WHOLE -> take();
      }
    }
    ended = true;
    connection.close();
    input.position(input.limit());
    return 0;
  }

  private void take() {
    if (frame.headerIntact()) {
      phase = phase.handle(frame);
      frame.consume();
    } else {
      // A damaged header cannot be trusted, not even its length.
      ended = true;
    }
  }

  @Override
  public void stop(Runnable stopped) {
    phase.stop(stopped);
  }

  @Override
  public SessionState state() {
    return SessionFields.state(phase.fields(), ended);
  }
}
