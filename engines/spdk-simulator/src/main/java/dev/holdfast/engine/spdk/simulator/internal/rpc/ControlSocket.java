package dev.holdfast.engine.spdk.simulator.internal.rpc;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The control socket of a target. Each connection has a thread. */
public final class ControlSocket implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ControlSocket.class);

  private final RpcMethods methods;
  private final ServerSocketChannel listening;
  private final Path socket;
  private final Thread acceptor = new Thread(this::accept, "simulated rpc acceptor");
  private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "simulated rpc");
            thread.setDaemon(true);
            return thread;
          });

  private ControlSocket(RpcMethods methods, ServerSocketChannel listening, Path socket) {
    this.methods = methods;
    this.listening = listening;
    this.socket = socket;
    acceptor.setDaemon(true);
  }

  /** Listens. A socket that a killed target left is replaced. */
  public static ControlSocket start(Path socket, RpcMethods methods) throws IOException {
    Files.deleteIfExists(socket);
    ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      listening.bind(UnixDomainSocketAddress.of(socket));
    } catch (IOException e) {
      listening.close();
      throw e;
    }
    ControlSocket server = new ControlSocket(methods, listening, socket);
    server.acceptor.start();
    return server;
  }

  private void accept() {
    try {
      while (true) {
        SocketChannel connection = listening.accept();
        connections.add(connection);
        threads.execute(
            () -> {
              new RpcConnection(methods, connection, threads).serve();
              connections.remove(connection);
            });
      }
    } catch (IOException e) {
      closeQuietly();
    }
  }

  private void closeQuietly() {
    for (SocketChannel connection : connections) {
      try {
        connection.close();
      } catch (IOException e) {
        LOG.debug("could not close a connection", e);
      }
    }
  }

  /** Ends connections and listening at once; answers in progress are lost. The socket stays. */
  public void kill() throws IOException {
    listening.close();
    try {
      acceptor.join(); // it may have accepted one more connection
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closeQuietly();
    threads.shutdownNow();
  }

  /** As {@link #kill}, and removes the socket. */
  @Override
  public void close() throws IOException {
    kill();
    Files.deleteIfExists(socket);
  }
}
