package dev.holdfast.frontend.nbd.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.ReplaceableFrontend;
import dev.holdfast.frontend.SessionState;
import java.net.URI;
import java.net.URISyntaxException;
import org.osgi.service.component.annotations.Component;

/** NBD frontend. */
@Component(service = FrontendProvider.class)
public final class NbdFrontend implements ReplaceableFrontend {
  private static final int DEFAULT_PORT = 10_809;

  @Override
  public String name() {
    return "nbd";
  }

  @Override
  public int defaultPort() {
    return DEFAULT_PORT;
  }

  @Override
  public boolean hasLocalSocket() {
    return true;
  }

  @Override
  public URI endpoint(String host, int port, String export) {
    try {
      return new URI("nbd", null, host, port, "/" + export, null, null);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("export " + export + " at " + host + " has no URI", e);
    }
  }

  @Override
  public FrontendSession open(FrontendConnection connection) {
    return NbdSession.greet(connection);
  }

  @Override
  public FrontendSession resume(FrontendConnection connection, SessionState state)
      throws StorageException {
    return NbdSession.resume(connection, state);
  }
}
