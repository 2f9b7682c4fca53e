package dev.holdfast.rpc.runtime.internal;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.NodeRpcServer;
import dev.holdfast.rpc.runtime.RpcServer;
import io.grpc.BindableService;
import java.net.InetSocketAddress;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the services that bundles register as {@code io.grpc.BindableService}, while they are
 * registered.
 */
@Component(service = NodeRpcServer.class, immediate = true)
public final class RpcServerComponent implements NodeRpcServer {
  private static final Logger LOG = LoggerFactory.getLogger(RpcServerComponent.class);
  private static final int DEFAULT_PORT = 7444;
  private static final int HIGHEST_PORT = 65_535;

  private final RpcServer server;

  /** Starts the server. */
  @Activate
  public RpcServerComponent(@Reference NodeTls tls, BundleContext context) throws StorageException {
    String address = context.getProperty("holdfast.address");
    InetSocketAddress bound =
        new InetSocketAddress(
            address == null || address.isBlank() ? "127.0.0.1" : address.strip(),
            port(context.getProperty("holdfast.rpc.port")));
    server = RpcServer.start(bound, tls);
    LOG.info("Calls of other nodes are served at {}:{}", bound.getHostString(), server.port());
  }

  static int port(String text) throws StorageException {
    if (text == null || text.isBlank()) {
      return DEFAULT_PORT;
    }
    try {
      int port = Integer.parseInt(text.strip());
      if (port >= 0 && port <= HIGHEST_PORT) {
        return port;
      }
    } catch (NumberFormatException e) {
      // Continue below: every wrong value has the same message.
    }
    throw new StorageException(
        ErrorCode.INVALID,
        "holdfast.rpc.port is '" + text + "'; it must be a number from 0 to " + HIGHEST_PORT);
  }

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addService(BindableService service) {
    server.add(service);
  }

  void removeService(BindableService service) {
    server.remove(service);
  }

  @Override
  public int port() {
    return server.port();
  }

  /** Stops the server. */
  @Deactivate
  public void stop() {
    server.close();
  }
}
