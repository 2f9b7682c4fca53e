package dev.holdfast.engine.spdk.simulator.internal.nvmf;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import dev.holdfast.engine.spdk.simulator.fabric.FabricAddress;
import dev.holdfast.engine.spdk.simulator.fabric.FabricConnection;
import dev.holdfast.engine.spdk.simulator.fabric.FabricHost;
import dev.holdfast.engine.spdk.simulator.fabric.FabricPort;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A set of subsystems and transports. Only the first target of a process serves hosts, because the
 * others have no poll group. Thread-safe.
 */
public final class NvmfTarget implements FabricPort {
  private static final String DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery";

  private final String name;
  private final boolean serves;
  private final Fabric fabric;
  private final Keyring keyring;
  private final Map<String, Subsystem> subsystems = new LinkedHashMap<>();
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
    } catch (IOException e) {
      throw new ErrnoException(Errno.EINVAL);
    }
    subsystem.listen(address, secure, state);
    fabric.changed();
  }

  /** Removes an address of a subsystem. */
  public void stopListening(Subsystem subsystem, FabricAddress address) throws ErrnoException {
    subsystem.stopListening(address);
    stopListening(address);
  }

  private synchronized void stopListening(FabricAddress address) {
    if (subsystems.values().stream().noneMatch(one -> one.listensAt(address))) {
      fabric.close(address, this);
    }
  }

  @Override
  public FabricConnection connect(FabricAddress address, String subsystem, FabricHost host)
      throws IOException {
    if (!serves) {
      throw new IOException(name + ": connection reset, no poll group");
    }
    return find(subsystem)
        .orElseThrow(() -> new IOException(subsystem + ": not here"))
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
  synchronized void kill() {
    fabric.closeAll(this);
    subsystems.values().forEach(Subsystem::kill);
  }

  /** Removes all subsystems. */
  void close() {
    fabric.closeAll(this);
    Map<String, Subsystem> all;
    synchronized (this) {
      all = Map.copyOf(subsystems);
    }
    all.values().forEach(this::delete);
  }
}
