package dev.holdfast.rpc.runtime;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.NodeRpcServer;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.util.MutableHandlerRegistry;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A server for calls of the cluster's members. Connections of a node that was removed end within a
 * second. Thread-safe.
 */
public final class RpcServer implements NodeRpcServer, AutoCloseable {
  private static final long GRACE_SECONDS = 2;
  private static final long KEEP_ALIVE_SECONDS = 5;
  private static final int LARGEST_MESSAGE = 8 << 20;

  private final MutableHandlerRegistry registry = new MutableHandlerRegistry();
  private final Map<BindableService, ServerServiceDefinition> services = new ConcurrentHashMap<>();
  private final ExecutorService executor = Executors.newCachedThreadPool(RpcServer::thread);
  private final MemberConnections connections;
  private final Server server;

  private RpcServer(InetSocketAddress address, NodeTls tls) throws StorageException {
    SslContext ssl = NodeSsl.server(tls);
    connections = new MemberConnections(tls);
    server =
        connections
            .use(NettyServerBuilder.forAddress(address))
            .sslContext(ssl)
            .intercept(new CallerCheck(tls))
            .fallbackHandlerRegistry(registry)
            .executor(executor)
            .maxInboundMessageSize(LARGEST_MESSAGE)
            .permitKeepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .handshakeTimeout(10, TimeUnit.SECONDS)
            .build();
  }

  /**
   * Starts a server without services.
   *
   * @param address listening address; port 0 for any
   * @param tls certificates of the server and its callers
   * @throws StorageException INVALID when the certificates are unusable; IO when the server cannot
   *     listen on the address
   */
  public static RpcServer start(InetSocketAddress address, NodeTls tls) throws StorageException {
    RpcServer started = new RpcServer(address, tls);
    try {
      started.server.start();
      return started;
    } catch (IOException e) {
      started.executor.shutdown();
      started.connections.close();
      throw new StorageException(
          ErrorCode.IO,
          "calls of other nodes cannot be served at "
              + address
              + ": "
              + e.getMessage()
              + "; set holdfast.rpc.port to a free port, or to 0 for any",
          e);
    }
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "node-rpc");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public int port() {
    return server.getPort();
  }

  /** Adds a service. */
  public void add(BindableService service) {
    ServerServiceDefinition definition = service.bindService();
    services.put(service, definition);
    registry.addService(definition);
  }

  /**
   * Removes a service; running calls continue. Another service of the same name that it had
   * replaced is used again.
   */
  public void remove(BindableService service) {
    ServerServiceDefinition definition = services.remove(service);
    if (definition != null && registry.removeService(definition)) {
      String name = definition.getServiceDescriptor().getName();
      services.values().stream()
          .filter(other -> other.getServiceDescriptor().getName().equals(name))
          .findFirst()
          .ifPresent(registry::addService);
    }
  }

  @Override
  public void close() {
    server.shutdown();
    try {
      if (!server.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS)) {
        server.shutdownNow();
        boolean unused = server.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      server.shutdownNow();
    }
    connections.close();
    executor.shutdown();
  }
}
