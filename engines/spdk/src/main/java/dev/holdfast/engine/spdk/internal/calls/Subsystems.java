package dev.holdfast.engine.spdk.internal.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * NVMe subsystems of the target. Each has one namespace, number 1, in access group 1. Only hosts
 * that are admitted connect. Thread-safe.
 */
public final class Subsystems {
  private static final int NAMESPACE = 1;
  private static final int GROUP = 1;

  /** The last controller of path 0; the NVMe frontend has the numbers of the further paths. */
  private static final int LAST_CONTROLLER = 4094;

  private final TargetCalls target;

  /** Creates the calls of a target. */
  public Subsystems(TargetCalls target) {
    this.target = target;
  }

  private static ObjectNode named(String nqn) {
    return SpdkTarget.params().put("nqn", nqn);
  }

  private static ObjectNode at(String nqn, TargetListener listener) {
    ObjectNode params = named(nqn);
    listener.describe(params.putObject("listen_address"));
    return params;
  }

  /** Returns a subsystem, empty when there is none of this name. */
  public Optional<TargetSubsystem> find(String nqn) throws StorageException {
    for (TargetSubsystem one : all()) {
      if (one.nqn().equals(nqn)) {
        return Optional.of(one);
      }
    }
    return Optional.empty();
  }

  /** Returns all subsystems, those of other programs too. */
  public List<TargetSubsystem> all() throws StorageException {
    List<TargetSubsystem> found = new ArrayList<>();
    for (JsonNode one : target.call("nvmf_get_subsystems", SpdkTarget.params())) {
      found.add(TargetSubsystem.of(one));
    }
    return found;
  }

  /** Makes a subsystem without hosts, namespaces and listeners, and the transport if it lacks. */
  public void create(String nqn, String serial) throws StorageException {
    ensureTransport();
    target.run(
        "nvmf_create_subsystem",
        named(nqn)
            .put("serial_number", serial)
            .put("model_number", "Holdfast volume")
            .put("allow_any_host", false)
            .put("max_cntlid", LAST_CONTROLLER)
            .put("ana_reporting", true));
  }

  /** Makes the transport by which hosts connect. Succeeds when it is there. */
  public void ensureTransport() throws StorageException {
    for (JsonNode one : target.call("nvmf_get_transports", SpdkTarget.params())) {
      if (one.path("trtype").asText().equalsIgnoreCase("TCP")) {
        return;
      }
    }
    target.run("nvmf_create_transport", SpdkTarget.params().put("trtype", "TCP"));
  }

  /** Removes a subsystem and disconnects its hosts. Succeeds when there is none. */
  public void delete(String nqn) throws StorageException {
    if (find(nqn).isPresent()) {
      target.run("nvmf_delete_subsystem", named(nqn));
    }
  }

  /** Adds the namespace. */
  public void addNamespace(String nqn, String device, String nguid, String uuid)
      throws StorageException {
    ObjectNode params = named(nqn);
    params
        .putObject("namespace")
        .put("nsid", NAMESPACE)
        .put("bdev_name", device)
        .put("nguid", nguid)
        .put("uuid", uuid)
        .put("anagrpid", GROUP);
    target.run("nvmf_subsystem_add_ns", params);
  }

  /** Removes the namespace after its requests in flight. */
  public void removeNamespace(String nqn) throws StorageException {
    target.run("nvmf_subsystem_remove_ns", named(nqn).put("nsid", NAMESPACE));
  }

  /** Listens at an address without TLS. */
  public void listen(String nqn, TargetListener listener, boolean accessible)
      throws StorageException {
    listen(nqn, listener, accessible, false);
  }

  /**
   * Listens at an address.
   *
   * @param secure whether hosts must use TLS with their pre-shared keys
   */
  public void listen(String nqn, TargetListener listener, boolean accessible, boolean secure)
      throws StorageException {
    ObjectNode params =
        at(nqn, listener).put("ana_state", accessible ? "optimized" : "inaccessible");
    if (secure) {
      params.put("secure_channel", true);
    }
    target.run("nvmf_subsystem_add_listener", params);
  }

  /** Stops listening at an address and disconnects the hosts there. */
  public void stopListening(String nqn, TargetListener listener) throws StorageException {
    target.run("nvmf_subsystem_remove_listener", at(nqn, listener));
  }

  /** Sets whether requests at an address are served. Requests in flight are not waited for. */
  public void access(String nqn, TargetListener listener, boolean accessible)
      throws StorageException {
    target.run(
        "nvmf_subsystem_listener_set_ana_state",
        at(nqn, listener).put("ana_state", accessible ? "optimized" : "inaccessible"));
  }

  /**
   * Waits for all requests of the namespace that are in flight. Setting the group that it has
   * already pauses the namespace, and a pause of the listener's state does not.
   *
   * @throws StorageException TIMEOUT when they did not end
   */
  public void drain(String nqn, Duration patience) throws StorageException {
    JsonNode unused =
        target.call(
            "nvmf_subsystem_set_ns_ana_group",
            named(nqn).put("nsid", NAMESPACE).put("anagrpid", GROUP),
            patience);
  }

  /** Admits a host without keys. */
  public void admit(String nqn, String host) throws StorageException {
    admit(nqn, host, KeyringNames.NONE);
  }

  /** Admits a host that must have its keys. */
  public void admit(String nqn, String host, KeyringNames keys) throws StorageException {
    ObjectNode params = named(nqn).put("host", host);
    keys.describe(params);
    target.run("nvmf_subsystem_add_host", params);
  }

  /** Changes the keys by which a host authenticates. It stays connected. */
  public void changeKeys(String nqn, String host, KeyringNames keys) throws StorageException {
    ObjectNode params = named(nqn).put("host", host);
    keys.describeAuthentication(params);
    target.run("nvmf_subsystem_set_keys", params);
  }

  /** Rejects a host from now on and disconnects it. Succeeds when it was not admitted. */
  public void reject(String nqn, String host) throws StorageException {
    target.run("nvmf_subsystem_remove_host", named(nqn).put("host", host));
  }

  /** Returns whether a host is connected to a subsystem. */
  public boolean isConnected(String nqn) throws StorageException {
    return !target.call("nvmf_subsystem_get_controllers", named(nqn)).isEmpty();
  }

  /** Fails unless a subsystem is there. */
  public TargetSubsystem require(String nqn) throws StorageException {
    return find(nqn)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.IO, "subsystem " + nqn + ": the SPDK target does not have it"));
  }
}
