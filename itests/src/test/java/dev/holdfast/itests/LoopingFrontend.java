package dev.holdfast.itests;

import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.FrontendSession;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;

/**
 * A faulty frontend: a client that sends {@code l} makes its session loop without end, any other
 * byte makes it throw.
 */
public final class LoopingFrontend implements FrontendProvider {
  static final String NAME = "looping";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int defaultPort() {
    return 0;
  }

  @Override
  public URI endpoint(String host, int port, String export) {
    return URI.create(NAME + "://" + host + ":" + port + "/" + export);
  }

  @Override
  public FrontendSession open(FrontendConnection connection) {
    return new Session(connection);
  }

  private record Session(FrontendConnection connection) implements FrontendSession {
    @Override
    public int received(ByteBuffer input) {
      var unused = connection.export().attach(connection.export().exports().names().get(0));
      if (input.get() != 'l') {
        throw new IllegalStateException("planted");
      }
      while (true) {
        LockSupport.parkNanos(1_000_000);
      }
    }

    @Override
    public void stop(Runnable stopped) {
      stopped.run();
    }
  }
}
