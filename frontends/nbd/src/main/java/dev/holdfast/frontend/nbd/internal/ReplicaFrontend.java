package dev.holdfast.frontend.nbd.internal;

import dev.holdfast.frontend.Frontend;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendSession;
import java.net.URI;
import org.osgi.service.component.annotations.Component;

/** NBD between nodes: how an engine on another node reaches a replica of this one. */
@Component(service = Frontend.class)
public final class ReplicaFrontend implements Frontend {
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
}
