package dev.holdfast.engine.spdk.simulator.internal.nvme;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import dev.holdfast.engine.spdk.simulator.fabric.FabricAddress;
import dev.holdfast.engine.spdk.simulator.fabric.FabricConnection;
import dev.holdfast.engine.spdk.simulator.fabric.FabricException;
import dev.holdfast.engine.spdk.simulator.fabric.FabricHost;
import dev.holdfast.engine.spdk.simulator.fabric.FabricNamespace;
import dev.holdfast.engine.spdk.simulator.fabric.FabricSubsystem;
import dev.holdfast.engine.spdk.simulator.internal.tcp.RemoteConnection;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * An attached controller of another target. While its peer is lost, I/O waits or fails as {@link
 * LossRules} say; {@code disable} ends the wait. Thread-safe.
 */
final class AttachedController {
  private enum State {
    ENABLED,
    RECONNECT_IS_DELAYED,
    DISABLED
  }

  private final Fabric fabric;
  private final String name;
  private final FabricAddress address;
  private final String subsystem;
  private final LossRules rules;
  private final Runnable reconnect = this::reconnect;
  private final Runnable failed;
  private FabricHost host;
  private FabricConnection connection;
  private Map<Integer, FabricNamespace> namespaces = Map.of();
  private State state = State.ENABLED;

  /**
   * Connects.
   *
   * @param failed called when the peer is lost and I/O does not wait
   */
  AttachedController(
      Fabric fabric,
      String name,
      FabricAddress address,
      String subsystem,
      FabricHost host,
      LossRules rules,
      Runnable failed)
      throws IOException {
    this.fabric = fabric;
    this.name = name;
    this.address = address;
    this.subsystem = subsystem;
    this.host = host;
    this.rules = rules;
    this.failed = failed;
    connect();
    fabric.watch(reconnect);
  }

  private void connect() throws IOException {
    FabricConnection made = RemoteConnection.connect(fabric, address, subsystem, host);
    Map<Integer, FabricNamespace> found = new TreeMap<>();
    made.namespaces().forEach(one -> found.put(one.id(), one));
    connection = made;
    namespaces = Map.copyOf(found);
  }

  String name() {
    return name;
  }

  String subsystem() {
    return subsystem;
  }

  FabricAddress address() {
    return address;
  }

  /** Returns the namespaces that it had when it was connected, in order. */
  synchronized List<FabricNamespace> namespaces() {
    return namespaces.values().stream()
        .sorted(Comparator.comparingInt(FabricNamespace::id))
        .toList();
  }

  synchronized FabricConnection connection() {
    return connection;
  }

  synchronized FabricSubsystem remote() {
    return connection.subsystem();
  }

  /** A command to one namespace. */
  interface Command {
    void run(FabricNamespace namespace) throws IOException;
  }

  /** Runs a command on a namespace, after the peer is back if it is lost and I/O waits. */
  void run(int id, Command command) throws IOException {
    while (true) {
      FabricConnection used;
      Optional<FabricNamespace> namespace;
      synchronized (this) {
        used = usable();
        namespace = Optional.ofNullable(namespaces.get(id));
      }
      try {
        if (namespace.isPresent()) {
          command.run(namespace.get());
          return;
        }
      } catch (FabricException e) {
        throw e;
      } catch (IOException e) {
        if (used.isAlive()) {
          throw e;
        }
      }
      if (used.isAlive()) {
        throw new IOException(name + ": namespace " + id + " is gone");
      }
      lost(used);
    }
  }

  private FabricConnection usable() throws IOException {
    while (state == State.RECONNECT_IS_DELAYED && rules.waits()) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(name + ": interrupted", e);
      }
    }
    if (state != State.ENABLED) {
      throw new IOException(name + ": controller is " + state);
    }
    return connection;
  }

  /** Notes that a connection ended. */
  private void lost(FabricConnection ended) {
    synchronized (this) {
      if (connection != ended || state != State.ENABLED) {
        return;
      }
      state = State.RECONNECT_IS_DELAYED;
    }
    reconnect();
    if (!rules.waits() && !isEnabled()) {
      failed.run();
    }
  }

  private synchronized boolean isEnabled() {
    return state == State.ENABLED;
  }

  /** Looks at the connection, as keep-alive does. */
  void probe() {
    FabricConnection present = connection();
    if (!present.isAlive()) {
      lost(present);
    }
  }

  private synchronized void reconnect() {
    if (state == State.RECONNECT_IS_DELAYED) {
      connectAgain();
    }
  }

  private synchronized void connectAgain() {
    try {
      connect();
      state = State.ENABLED;
      notifyAll();
    } catch (IOException e) {
      state = State.RECONNECT_IS_DELAYED;
    }
  }

  /** Ends the connection and every wait for it. */
  synchronized void disable() {
    state = State.DISABLED;
    connection.close();
    notifyAll();
  }

  /** Connects again after {@link #disable}. */
  synchronized void enable() {
    if (state == State.DISABLED) {
      connectAgain();
    }
  }

  /** Connects again. A disabled controller stays disabled. */
  synchronized void reset() {
    if (state != State.DISABLED) {
      connection.close();
      connectAgain();
    }
  }

  synchronized void secrets(FabricHost changed) {
    host = changed;
  }

  synchronized FabricHost host() {
    return host;
  }

  void close() {
    fabric.unwatch(reconnect);
    disable();
  }

  /** Returns the entry of {@code bdev_nvme_get_controllers}. */
  synchronized ObjectNode description() {
    ObjectNode entry = JsonNodeFactory.instance.objectNode().put("name", name);
    ObjectNode one = entry.putArray("ctrlrs").addObject();
    one.put("state", state.name().toLowerCase(Locale.ROOT));
    describePath(one.putObject("trid"));
    one.put("cntlid", connection.controllerId());
    ObjectNode self = one.putObject("host");
    self.put("nqn", host.nqn()).put("addr", "").put("svcid", "");
    self.put("no_shn_notification", false);
    return entry;
  }

  void describePath(ObjectNode trid) {
    trid.put("trtype", address.transport()).put("adrfam", address.family());
    trid.put("traddr", address.address()).put("trsvcid", address.port());
    trid.put("subnqn", subsystem);
  }
}
