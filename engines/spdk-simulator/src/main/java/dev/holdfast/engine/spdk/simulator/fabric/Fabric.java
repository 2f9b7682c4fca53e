package dev.holdfast.engine.spdk.simulator.fabric;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Addresses of the simulated targets of one test. Thread-safe. */
public final class Fabric {
  private final Map<FabricAddress, FabricPort> ports = new ConcurrentHashMap<>();
  private final List<Runnable> watchers = new CopyOnWriteArrayList<>();

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
    watchers.forEach(Runnable::run);
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
   * Connects a host to a subsystem.
   *
   * @param address of the target, not null
   * @param subsystem its name, not null
   * @param host not null
   * @return the association, never null
   * @throws IOException when nothing listens there, or the target refuses the host
   */
  public FabricConnection connect(FabricAddress address, String subsystem, FabricHost host)
      throws IOException {
    FabricPort port = ports.get(address);
    if (port == null) {
      throw new ConnectException(address + ": connection refused");
    }
    return port.connect(address, subsystem, host);
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
