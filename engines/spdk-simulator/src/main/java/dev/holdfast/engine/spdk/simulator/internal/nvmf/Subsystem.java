package dev.holdfast.engine.spdk.simulator.internal.nvmf;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.simulator.fabric.FabricAddress;
import dev.holdfast.engine.spdk.simulator.fabric.FabricException;
import dev.holdfast.engine.spdk.simulator.fabric.FabricHost;
import dev.holdfast.engine.spdk.simulator.fabric.FabricSubsystem;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdev;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** A subsystem with its namespaces, listeners, hosts and associations. Thread-safe. */
public final class Subsystem {
  private final SubsystemOptions options;
  private final Keyring keyring;
  private final Map<Integer, Namespace> namespaces = new LinkedHashMap<>();
  private final List<Listener> listeners = new ArrayList<>();
  private final Map<String, SubsystemHost> hosts = new LinkedHashMap<>();
  private final List<Association> associations = new ArrayList<>();
  private int lastController;

  Subsystem(SubsystemOptions options, Keyring keyring) {
    this.options = options;
    this.keyring = keyring;
    this.lastController = options.firstController() - 1;
  }

  public String nqn() {
    return options.nqn();
  }

  // --- namespaces -------------------------------------------------------------------------

  /**
   * Adds a device.
   *
   * @param id its number, 0 for the lowest free one
   * @param group its access group, 0 for the number of the namespace
   * @return its number
   */
  public synchronized int add(
      Bdev device, int id, Optional<UUID> uuid, Optional<String> nguid, int group)
      throws ErrnoException {
    int number = id == 0 ? lowestFree() : id;
    if (number > Listener.GROUPS || namespaces.containsKey(number)) {
      throw new ErrnoException(Errno.EINVAL);
    }
    device.claim();
    Runnable removal = () -> removeQuietly(number, device);
    UUID identity = uuid.orElse(device.uuid());
    String hex = device.uuid().toString().replace("-", "").toUpperCase(Locale.ROOT);
    namespaces.put(
        number,
        new Namespace(
            number,
            device,
            identity,
            nguid.orElse(hex).toUpperCase(Locale.ROOT),
            group == 0 ? number : group,
            removal));
    device.onRemoval(removal);
    associations.forEach(Association::namespacesChanged);
    return number;
  }

  private int lowestFree() {
    int number = 1;
    while (namespaces.containsKey(number)) {
      number++;
    }
    return number;
  }

  private synchronized void removeQuietly(int id, Bdev device) {
    Namespace namespace = namespaces.get(id);
    if (namespace != null && namespace.device() == device) {
      namespaces.remove(id);
      namespace.close();
      associations.forEach(Association::namespacesChanged);
    }
  }

  /** Removes a namespace. */
  public synchronized void remove(int id) throws ErrnoException {
    Namespace namespace = namespaces.remove(id);
    if (namespace == null) {
      throw new ErrnoException(Errno.EINVAL);
    }
    namespace.close();
    associations.forEach(Association::namespacesChanged);
  }

  /** Sets the access group of a namespace, after the I/O in flight. */
  public void group(int id, int group) throws ErrnoException {
    Namespace namespace;
    synchronized (this) {
      namespace = namespaces.get(id);
    }
    if (namespace == null || group < 1 || group > Listener.GROUPS) {
      throw new ErrnoException(Errno.EINVAL);
    }
    namespace.moveTo(group);
    synchronized (this) {
      associations.forEach(Association::accessChanged);
    }
  }

  synchronized List<Namespace> namespaces() {
    return List.copyOf(namespaces.values());
  }

  synchronized boolean has(Namespace namespace) {
    return namespaces.get(namespace.id()) == namespace;
  }

  // --- listeners --------------------------------------------------------------------------

  /** Adds an address that is not there yet. */
  public synchronized void listen(FabricAddress address, boolean secure, AnaState state) {
    listeners.add(new Listener(address, secure, state));
  }

  /** Returns whether it listens at an address. */
  public synchronized boolean listensAt(FabricAddress address) {
    return find(address).isPresent();
  }

  synchronized Optional<Listener> find(FabricAddress address) {
    return listeners.stream().filter(one -> one.address().equals(address)).findFirst();
  }

  /** Returns its addresses. */
  public synchronized List<FabricAddress> addresses() {
    return listeners.stream().map(Listener::address).toList();
  }

  /** Removes an address and ends its associations. */
  public synchronized void stopListening(FabricAddress address) throws ErrnoException {
    Listener listener = find(address).orElseThrow(() -> new ErrnoException(Errno.EINVAL));
    listeners.remove(listener);
    associations.stream().filter(one -> one.uses(listener)).forEach(Association::end);
  }

  /** Sets an access state. I/O in flight is not waited for. */
  public synchronized void access(FabricAddress address, int group, AnaState state)
      throws ErrnoException {
    Listener listener = find(address).orElseThrow(() -> new ErrnoException(Errno.EINVAL));
    if (group > Listener.GROUPS || !options.anaReporting()) {
      throw new ErrnoException(Errno.EINVAL);
    }
    listener.set(group, state);
    associations.stream().filter(one -> one.uses(listener)).forEach(Association::accessChanged);
  }

  // --- hosts ------------------------------------------------------------------------------

  /** Admits a host. */
  public synchronized void admit(SubsystemHost host) throws ErrnoException {
    if (hosts.containsKey(host.nqn())) {
      throw new ErrnoException(Errno.EINVAL);
    }
    hosts.put(host.nqn(), host);
  }

  /** Rejects a host from now on, and ends its associations. */
  public synchronized void reject(String nqn) {
    hosts.remove(nqn);
    if (!options.allowAnyHost()) {
      associations.stream().filter(one -> one.isOf(nqn)).forEach(Association::end);
    }
  }

  /** Changes the keys of a host. Associations stay. */
  public synchronized void keys(String nqn, String key, String controllerKey)
      throws ErrnoException {
    SubsystemHost present = hosts.get(nqn);
    if (present == null) {
      throw new ErrnoException(Errno.EINVAL);
    }
    hosts.put(nqn, new SubsystemHost(nqn, key, controllerKey, present.psk()));
  }

  // --- associations -----------------------------------------------------------------------

  synchronized Association connect(FabricAddress address, FabricHost host) throws FabricException {
    Listener listener =
        find(address).orElseThrow(() -> refused(FabricException.INVALID_HOST, "not at " + address));
    requireAdmitted(host, listener);
    if (lastController >= options.lastController()) {
      throw refused(FabricException.INTERNAL_ERROR, "no controller is left");
    }
    Association association = new Association(this, listener, host, ++lastController);
    associations.add(association);
    return association;
  }

  private FabricException refused(int status, String reason) {
    return new FabricException(status, nqn() + ": " + reason);
  }

  private void requireAdmitted(FabricHost host, Listener listener) throws FabricException {
    SubsystemHost known = hosts.get(host.nqn());
    if (known == null) {
      if (!options.allowAnyHost() || listener.isSecure()) {
        throw refused(FabricException.INVALID_HOST, "host " + host.nqn() + " is not admitted");
      }
      return;
    }
    try {
      boolean hostProven = keyring.secret(known.key()).equals(host.key());
      boolean selfProven =
          known.controllerKey().isEmpty()
              || host.controllerKey().isEmpty()
              || keyring.secret(known.controllerKey()).equals(host.controllerKey());
      boolean encrypted = !listener.isSecure() || keyring.secret(known.psk()).equals(host.psk());
      if (!hostProven || !selfProven || !encrypted) {
        throw refused(
            FabricException.AUTHENTICATION_REQUIRED, "host " + host.nqn() + " has another key");
      }
    } catch (ErrnoException e) {
      throw refused(
          FabricException.AUTHENTICATION_REQUIRED, "key of host " + host.nqn() + " is missing");
    }
  }

  synchronized void left(Association association) {
    associations.remove(association);
  }

  /** Ends everything, as the removal of the subsystem does. */
  synchronized void close() {
    List.copyOf(associations).forEach(Association::end);
    namespaces.values().forEach(Namespace::close);
    namespaces.clear();
    listeners.clear();
  }

  /** Ends the associations, as the end of the process does. */
  synchronized void kill() {
    List.copyOf(associations).forEach(Association::end);
  }

  FabricSubsystem summary() {
    return new FabricSubsystem(
        options.nqn(), options.serialNumber(), options.modelNumber(), options.anaReporting());
  }

  // --- description ------------------------------------------------------------------------

  /** Returns the answer to {@code nvmf_subsystem_get_listeners}. */
  public synchronized ArrayNode describeListeners() {
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    listeners.forEach(listener -> listener.describe(list.addObject(), options.anaReporting()));
    return list;
  }

  /** Returns the answer to {@code nvmf_subsystem_get_controllers}. */
  public synchronized ArrayNode describeControllers() {
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    associations.forEach(association -> association.describe(list.addObject()));
    return list;
  }

  /** Adds the members of {@code nvmf_get_subsystems}. */
  public synchronized void describe(ObjectNode entry) {
    entry.put("nqn", nqn()).put("subtype", "NVMe");
    ArrayNode addresses = entry.putArray("listen_addresses");
    listeners.forEach(one -> Listener.describe(one.address(), addresses.addObject()));
    entry.put("allow_any_host", options.allowAnyHost());
    ArrayNode admitted = entry.putArray("hosts");
    hosts.values().forEach(host -> host.describe(admitted.addObject()));
    entry.put("serial_number", options.serialNumber()).put("model_number", options.modelNumber());
    entry.put("max_namespaces", Listener.GROUPS).put("passthrough", false);
    entry.put("min_cntlid", options.firstController());
    entry.put("max_cntlid", options.lastController());
    entry.put("dmrsl", 2_097_152).put("wzsl", 12);
    ArrayNode list = entry.putArray("namespaces");
    namespaces.values().forEach(one -> one.describe(list.addObject(), options.anaReporting()));
  }
}
