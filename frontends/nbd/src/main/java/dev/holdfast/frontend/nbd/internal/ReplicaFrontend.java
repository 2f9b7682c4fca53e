package dev.holdfast.frontend.nbd.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.ReplaceableFrontend;
import dev.holdfast.frontend.SessionState;
import java.net.URI;
import org.osgi.service.component.annotations.Component;

/** NBD between nodes: engines on other nodes access replicas of this node by it. */
@Component(service = FrontendProvider.class)
public final class ReplicaFrontend implements ReplaceableFrontend {
  private static final int DEFAULT_PORT = 10_810;

  private final NbdFrontend nbd = new NbdFrontend();

  @Override
  public String name() {
    return "replica";
  }

  @Override
  public int defaultPort() {
    return DEFAULT_PORT;
  }

  @Override
  public boolean nodesOnly() {
    return true;
  }

  @Override
  public URI endpoint(String host, int port, String export) {
    return nbd.endpoint(host, port, export);
  }

  @Override
  public FrontendSession open(FrontendConnection connection) {
    return nbd.open(connection);
  }

  @Override
  public FrontendSession resume(FrontendConnection connection, SessionState state)
      throws StorageException {
    return nbd.resume(connection, state);
  }
}
