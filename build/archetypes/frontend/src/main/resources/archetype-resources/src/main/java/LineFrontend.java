package ${package};

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.ReplaceableFrontend;
import dev.holdfast.frontend.SessionState;
import java.net.URI;
import java.net.URISyntaxException;
import org.osgi.service.component.annotations.Component;

/** A block protocol of lines; the README tells its words. */
@Component(service = FrontendProvider.class)
public final class LineFrontend implements ReplaceableFrontend {
  private static final int DEFAULT_PORT = ${port};

  @Override
  public String name() {
    return "${artifactId}";
  }

  @Override
  public int defaultPort() {
    return DEFAULT_PORT;
  }

  @Override
  public URI endpoint(String host, int port, String export) {
    try {
      return new URI(name(), null, host, port, "/" + export, null, null);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("export " + export + " at " + host + " has no URI", e);
    }
  }

  @Override
  public FrontendSession open(FrontendConnection connection) {
    return new LineSession(connection);
  }

  /** Continues a session of another version of this bundle on its open connection. */
  @Override
  public FrontendSession resume(FrontendConnection connection, SessionState state)
      throws StorageException {
    state.requireReadable(LineSession.FORMAT, LineSession.VERSION);
    return new LineSession(connection);
  }
}
