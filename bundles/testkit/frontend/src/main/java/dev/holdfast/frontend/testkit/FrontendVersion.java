package dev.holdfast.frontend.testkit;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.ReplaceableFrontend;
import dev.holdfast.frontend.ReplaceableSession;
import dev.holdfast.frontend.SessionState;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.function.UnaryOperator;

/**
 * Another version of a frontend that delegates to the present one: the base class of faulty
 * versions.
 */
public class FrontendVersion implements ReplaceableFrontend {
  private final ReplaceableFrontend frontend;

  /**
   * Creates a version that behaves as the frontend does.
   *
   * @param frontend not null
   */
  public FrontendVersion(ReplaceableFrontend frontend) {
    this.frontend = frontend;
  }

  /** Returns a version whose sessions leave an altered state. */
  static FrontendVersion leaving(ReplaceableFrontend frontend, UnaryOperator<SessionState> change) {
    return new FrontendVersion(frontend) {
      @Override
      protected FrontendSession session(FrontendSession session) {
        return new ChangedSession((ReplaceableSession) session, change);
      }
    };
  }

  /**
   * Returns the replacement of the frontend's session.
   *
   * @param session the opened or resumed session, not null
   */
  protected FrontendSession session(FrontendSession session) {
    return session;
  }

  @Override
  public final String name() {
    return frontend.name();
  }

  @Override
  public final int defaultPort() {
    return frontend.defaultPort();
  }

  @Override
  public final String portProperty() {
    return frontend.portProperty();
  }

  @Override
  public final boolean nodesOnly() {
    return frontend.nodesOnly();
  }

  @Override
  public final URI endpoint(String host, int port, String export) {
    return frontend.endpoint(host, port, export);
  }

  @Override
  public FrontendSession open(FrontendConnection connection) {
    return session(frontend.open(connection));
  }

  @Override
  public FrontendSession resume(FrontendConnection connection, SessionState state)
      throws StorageException {
    return session(frontend.resume(connection, state));
  }

  private record ChangedSession(ReplaceableSession session, UnaryOperator<SessionState> change)
      implements ReplaceableSession {
    @Override
    public int received(ByteBuffer input) {
      return session.received(input);
    }

    @Override
    public void stop(Runnable stopped) {
      session.stop(stopped);
    }

    @Override
    public SessionState state() {
      return change.apply(session.state());
    }
  }
}
