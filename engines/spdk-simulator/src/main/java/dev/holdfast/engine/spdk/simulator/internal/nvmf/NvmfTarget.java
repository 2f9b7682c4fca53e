package dev.holdfast.engine.spdk.simulator.internal.nvmf;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import dev.holdfast.engine.spdk.simulator.fabric.FabricAddress;
import dev.holdfast.engine.spdk.simulator.fabric.FabricException;
import dev.holdfast.engine.spdk.simulator.fabric.FabricHost;
import dev.holdfast.engine.spdk.simulator.fabric.FabricPort;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import dev.holdfast.engine.spdk.simulator.internal.tcp.TcpPort;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A set of subsystems and transports. Only the first target of a process serves hosts, because the
 * others have no poll group. Thread-safe.
 */
public final class NvmfTarget implements FabricPort {
  private static final Logger LOG = LoggerFactory.getLogger(NvmfTarget.class);
  private static final String DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery";

  private final String name;
  private final boolean serves;
  private final Fabric fabric;
  private final Keyring keyring;
  private final Map<String, Subsystem> subsystems = new LinkedHashMap<>();
  private final Map<FabricAddress, TcpPort> sockets = new HashMap<>();
  private boolean hasTcp;

  NvmfTarget(String name, boolean serves, Fabric fabric, Keyring keyring) {
    this.name = name;
    this.serves = serves;
    this.fabric = fabric;
    this.keyring = keyring;
  }

  public String name() {
    return name;
  }

  /** Adds the TCP transport. Returns whether it was new. */
  public synchronized boolean addTcp() {
    boolean added = !hasTcp;
    hasTcp = true;
    return added;
  }

  public synchronized boolean hasTcp() {
    return hasTcp;
  }

  /** Makes a subsystem. */
  public synchronized void create(SubsystemOptions options) throws ErrnoException {
    if (!options.nqn().startsWith("nqn.") || subsystems.containsKey(options.nqn())) {
      throw new ErrnoException(Errno.EINVAL);
    }
    subsystems.put(options.nqn(), new Subsystem(options, keyring));
  }

  /** Returns a subsystem. */
  public synchronized Optional<Subsystem> find(String nqn) {
    return Optional.ofNullable(subsystems.get(nqn));
  }

  /** Removes a subsystem and all that it has. */
  public void delete(Subsystem subsystem) {
    synchronized (this) {
      subsystems.remove(subsystem.nqn());
    }
    for (FabricAddress address : subsystem.addresses()) {
      stopListening(address);
    }
    subsystem.close();
  }

  /** Lets a subsystem listen at an address that it does not have yet. */
  public void listen(Subsystem subsystem, FabricAddress address, boolean secure, AnaState state)
      throws ErrnoException {
    if (!hasTcp() || subsystem.listensAt(address)) {
      throw new ErrnoException(Errno.EINVAL);
    }
    try {
      fabric.listen(address, this);
      openSocket(address);
    } catch (IOException e) {
      throw new ErrnoException(Errno.EINVAL);
    }
    subsystem.listen(address, secure, state);
    fabric.changed();
  }

  private synchronized void openSocket(FabricAddress address) throws IOException {
    if (serves && !sockets.containsKey(address)) {
      sockets.put(
          address,
          TcpPort.open(
              fabric.socket(address),
              (subsystem, host) -> connect(address, subsystem, fabric.presented(subsystem, host))));
    }
  }

  private static void closeQuietly(TcpPort socket) {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("could not close a socket", e);
    }
  }

  /** Removes an address of a subsystem. */
  public void stopListening(Subsystem subsystem, FabricAddress address) throws ErrnoException {
    subsystem.stopListening(address);
    stopListening(address);
  }

  private void stopListening(FabricAddress address) {
    Optional<TcpPort> unused = Optional.empty();
    synchronized (this) {
      if (subsystems.values().stream().noneMatch(one -> one.listensAt(address))) {
        fabric.close(address, this);
        unused = Optional.ofNullable(sockets.remove(address));
      }
    }
    unused.ifPresent(NvmfTarget::closeQuietly);
  }

  private Association connect(FabricAddress address, String subsystem, FabricHost host)
      throws FabricException {
    if (!serves) {
      throw new FabricException(
          FabricException.INTERNAL_ERROR, name + ": connection reset, no poll group");
    }
    return find(subsystem)
        .orElseThrow(
            () -> new FabricException(FabricException.INVALID_PARAMETER, subsystem + ": not here"))
        .connect(address, host);
  }

  /** Returns the answer to {@code nvmf_get_subsystems}. */
  public synchronized ArrayNode describe() {
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    if (serves) {
      ObjectNode discovery = list.addObject().put("nqn", DISCOVERY).put("subtype", "Discovery");
      discovery.putArray("listen_addresses");
      discovery.put("allow_any_host", true).putArray("hosts");
    }
    subsystems.values().forEach(one -> one.describe(list.addObject()));
    return list;
  }

  /** Ends all associations, as the end of the process does. */
  void kill() {
    closeSockets();
    synchronized (this) {
      subsystems.values().forEach(Subsystem::kill);
    }
  }

  private void closeSockets() {
    fabric.closeAll(this);
    List<TcpPort> closing;
    synchronized (this) {
      closing = List.copyOf(sockets.values());
      sockets.clear();
    }
    closing.forEach(NvmfTarget::closeQuietly);
  }

  /** Removes all subsystems. */
  void close() {
    closeSockets();
    Map<String, Subsystem> all;
    synchronized (this) {
      all = Map.copyOf(subsystems);
    }
    all.values().forEach(this::delete);
  }
}
