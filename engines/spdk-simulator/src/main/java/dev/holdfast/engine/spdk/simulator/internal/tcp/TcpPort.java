package dev.holdfast.engine.spdk.simulator.internal.tcp;

import dev.holdfast.engine.spdk.simulator.fabric.FabricException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A socket where a target serves NVMe/TCP. Thread-safe. */
public final class TcpPort implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TcpPort.class);

  private final ServerSocketChannel listening;
  private final HostAdmission admission;
  private final Map<String, TargetSession> sessions = new ConcurrentHashMap<>();
  private final Set<TcpConnection> connections = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "simulated nvme/tcp");
            thread.setDaemon(true);
            return thread;
          });
  private final Thread acceptor = new Thread(this::accept, "simulated nvme/tcp acceptor");

  private TcpPort(ServerSocketChannel listening, HostAdmission admission) {
    this.listening = listening;
    this.admission = admission;
    acceptor.setDaemon(true);
  }

  /** Listens at an address that no other target has. */
  public static TcpPort open(InetSocketAddress address, HostAdmission admission)
      throws IOException {
    ServerSocketChannel listening = ServerSocketChannel.open();
    try {
      listening.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(address);
    } catch (IOException | RuntimeException e) {
      listening.close();
      throw e;
    }
    TcpPort port = new TcpPort(listening, admission);
    port.acceptor.start();
    return port;
  }

  private void accept() {
    try {
      while (true) {
        SocketChannel channel = listening.accept();
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        TcpConnection connection = new TcpConnection(this, channel, threads);
        connections.add(connection);
        threads.execute(
            () -> {
              connection.serve();
              connections.remove(connection);
            });
      }
    } catch (IOException e) {
      LOG.debug("stopped listening", e);
    }
  }

  TargetSession admit(String subsystem, String host) throws FabricException {
    ServedAssociation association = admission.admit(subsystem, host);
    TargetSession session = new TargetSession(association);
    sessions.put(key(subsystem, association.controllerId()), session);
    association.observe(session);
    return session;
  }

  TargetSession find(String subsystem, int controller) throws StatusException {
    TargetSession session = sessions.get(key(subsystem, controller));
    if (session == null) {
      throw new StatusException(FabricException.INVALID_PARAMETER);
    }
    return session;
  }

  /** Ends the association whose admin queue is gone. */
  void left(TargetSession session) {
    sessions.values().remove(session);
    session.association().close();
    session.ended();
  }

  private static String key(String subsystem, int controller) {
    return controller + " " + subsystem;
  }

  /**
   * Stops listening and ends all connections at once. Answers in progress are lost. Commands in
   * progress are not interrupted: an interrupt would close the file of a disk, which other
   * connections use.
   */
  @Override
  public void close() throws IOException {
    listening.close();
    try {
      acceptor.join(); // it may have accepted one more connection
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    connections.forEach(TcpConnection::closeQuietly);
    threads.shutdown();
  }
}
