package dev.holdfast.engine.spdk.simulator.fabric;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Addresses of the simulated targets of one test. Calls may name any port: each address stands for
 * a free port of the loopback interface, which stays reserved until the fabric is closed. Ports of
 * {@link #freePort} stand for themselves. Thread-safe.
 */
public final class Fabric implements AutoCloseable {
  private final Map<FabricAddress, FabricPort> ports = new ConcurrentHashMap<>();
  private final Map<String, FabricHost> hosts = new ConcurrentHashMap<>();
  private final List<Runnable> watchers = new CopyOnWriteArrayList<>();
  private final Map<FabricAddress, InetSocketAddress> sockets = new HashMap<>();
  private final List<String> free = new ArrayList<>();
  private final List<SocketChannel> reserved = new ArrayList<>();
  private final boolean realPorts;

  /** Creates a fabric whose addresses stand for free ports. */
  public Fabric() {
    this(false);
  }

  private Fabric(boolean realPorts) {
    this.realPorts = realPorts;
  }

  /**
   * Returns a fabric whose addresses stand for themselves, for a target in a process of its own.
   *
   * @return never null; the caller closes it
   */
  public static Fabric ofRealPorts() {
    return new Fabric(true);
  }

  // --- sockets ----------------------------------------------------------------------------

  /**
   * Reserves a port of the loopback interface that no other program uses.
   *
   * @return its number as calls name it, never null
   */
  public synchronized String freePort() {
    String port = String.valueOf(reserve().getPort());
    free.add(port);
    return port;
  }

  /**
   * Returns the socket that stands for an address.
   *
   * @param address not null
   * @return never null, the same for each call
   */
  public synchronized InetSocketAddress socket(FabricAddress address) {
    return realPorts || free.contains(address.port())
        ? new InetSocketAddress(address.address(), Integer.parseInt(address.port()))
        : sockets.computeIfAbsent(address, unused -> reserve());
  }

  /** A socket that is bound and does not listen keeps its port from all but listeners here. */
  private InetSocketAddress reserve() {
    try {
      SocketChannel channel = SocketChannel.open();
      reserved.add(channel);
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      return (InetSocketAddress) channel.getLocalAddress();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the reserved ports to the machine.
   *
   * @throws IOException when a socket cannot be closed
   */
  @Override
  public synchronized void close() throws IOException {
    for (SocketChannel channel : reserved) {
      channel.close();
    }
    reserved.clear();
  }

  // --- hosts ------------------------------------------------------------------------------

  /**
   * Takes the secrets with which a host is about to connect over a socket.
   *
   * @param subsystem to which it connects, not null
   * @param host not null
   */
  public void present(String subsystem, FabricHost host) {
    hosts.put(subsystem + " " + host.nqn(), host);
  }

  /**
   * Returns a host that connects over a socket, with the secrets that it presented last.
   *
   * @param subsystem to which it connects, not null
   * @param nqn its name, not null
   * @return never null, without secrets when it presented none here
   */
  public FabricHost presented(String subsystem, String nqn) {
    return hosts.getOrDefault(subsystem + " " + nqn, FabricHost.named(nqn));
  }

  // --- targets ----------------------------------------------------------------------------

  /**
   * Listens at an address. Succeeds when the same target listens there already.
   *
   * @param address not null
   * @param port of the target, not null
   * @throws IOException when another target listens there
   */
  public void listen(FabricAddress address, FabricPort port) throws IOException {
    FabricPort present = ports.putIfAbsent(address, port);
    if (present != null && present != port) {
      throw new BindException(address + " is in use");
    }
  }

  /**
   * Stops listening.
   *
   * @param address not null
   * @param port of the target, not null
   */
  public void close(FabricAddress address, FabricPort port) {
    ports.remove(address, port);
  }

  /**
   * Stops listening at all addresses of a target.
   *
   * @param port of the target, not null
   */
  public void closeAll(FabricPort port) {
    ports.values().removeIf(present -> present == port);
  }

  /**
   * Calls back whenever a target begins to listen or to serve a subsystem.
   *
   * @param watcher must not block, not null
   */
  public void watch(Runnable watcher) {
    watchers.add(watcher);
  }

  /**
   * Ends {@link #watch}.
   *
   * @param watcher not null
   */
  public void unwatch(Runnable watcher) {
    watchers.remove(watcher);
  }

  /** Tells the watchers that a subsystem may serve more hosts than before. */
  public void changed() {
    watchers.forEach(Runnable::run);
  }
}
