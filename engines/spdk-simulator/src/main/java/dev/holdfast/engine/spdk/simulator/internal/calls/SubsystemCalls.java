package dev.holdfast.engine.spdk.simulator.internal.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import dev.holdfast.engine.spdk.simulator.fabric.FabricAddress;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdevs;
import dev.holdfast.engine.spdk.simulator.internal.nvmf.AnaState;
import dev.holdfast.engine.spdk.simulator.internal.nvmf.Keyring;
import dev.holdfast.engine.spdk.simulator.internal.nvmf.NvmfTarget;
import dev.holdfast.engine.spdk.simulator.internal.nvmf.NvmfTargets;
import dev.holdfast.engine.spdk.simulator.internal.nvmf.Subsystem;
import dev.holdfast.engine.spdk.simulator.internal.nvmf.SubsystemHost;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Params;
import dev.holdfast.engine.spdk.simulator.internal.rpc.RpcError;
import dev.holdfast.engine.spdk.simulator.internal.rpc.RpcMethods;

/** Methods that change one subsystem. */
public final class SubsystemCalls {
  private final NvmfTargets targets;
  private final Bdevs bdevs;
  private final Keyring keyring;

  /** Creates the methods. */
  public SubsystemCalls(NvmfTargets targets, Bdevs bdevs, Keyring keyring) {
    this.targets = targets;
    this.bdevs = bdevs;
    this.keyring = keyring;
  }

  /** Adds them. */
  public void register(RpcMethods methods) {
    methods.add("nvmf_subsystem_add_ns", this::addNamespace);
    methods.add(
        "nvmf_subsystem_remove_ns",
        params ->
            Answers.doneOr(
                RpcError.invalid(), () -> require(params).remove((int) params.number("nsid", 0))));
    methods.addWaiting(
        "nvmf_subsystem_set_ns_ana_group",
        params ->
            Answers.doneOr(
                RpcError.invalid(),
                () ->
                    require(params)
                        .group(
                            (int) params.number("nsid", 0), (int) params.number("anagrpid", 0))));
    methods.add("nvmf_subsystem_add_listener", this::addListener);
    methods.add("nvmf_subsystem_remove_listener", this::removeListener);
    methods.add("nvmf_subsystem_listener_set_ana_state", this::setState);
    methods.add(
        "nvmf_subsystem_get_listeners",
        params -> known(target(params), params).describeListeners());
    methods.add(
        "nvmf_subsystem_get_controllers",
        params -> known(target(params), params).describeControllers());
    methods.add("nvmf_subsystem_add_host", this::addHost);
    methods.add(
        "nvmf_subsystem_remove_host",
        params ->
            Answers.doneOr(RpcError.invalid(), () -> require(params).reject(params.text("host"))));
    methods.add("nvmf_subsystem_set_keys", this::setKeys);
  }

  /** Returns the subsystem that a query names. */
  static Subsystem known(NvmfTarget target, Params params) throws RpcError {
    return target.find(params.text("nqn")).orElseThrow(() -> RpcError.of(Errno.ENODEV));
  }

  private NvmfTarget target(Params params) throws RpcError {
    return NvmfCalls.target(targets, params);
  }

  /** Returns the subsystem that a change names. The target is checked first. */
  private Subsystem require(Params params) throws ErrnoException {
    return targets
        .find(params.find("tgt_name"))
        .flatMap(target -> target.find(params.text("nqn")))
        .orElseThrow(() -> new ErrnoException(Errno.ENODEV));
  }

  private JsonNode addNamespace(Params params) throws RpcError {
    target(params);
    Params namespace = params.object("namespace");
    try {
      return IntNode.valueOf(
          require(params)
              .add(
                  bdevs.require(namespace.text("bdev_name")),
                  (int) namespace.number("nsid", 0),
                  namespace.uuid("uuid"),
                  namespace.find("nguid"),
                  (int) namespace.number("anagrpid", 0)));
    } catch (ErrnoException e) {
      throw RpcError.invalid();
    }
  }

  private JsonNode addListener(Params params) throws RpcError {
    NvmfTarget target = target(params);
    FabricAddress address = NvmfCalls.address(params.object("listen_address"));
    return Answers.doneOr(
        RpcError.invalid(),
        () ->
            target.listen(
                require(params),
                address,
                params.flag("secure_channel", false),
                AnaState.of(params.text("ana_state", "optimized"))));
  }

  private JsonNode removeListener(Params params) throws RpcError {
    NvmfTarget target = target(params);
    FabricAddress address = NvmfCalls.address(params.object("listen_address"));
    return Answers.doneOr(RpcError.invalid(), () -> target.stopListening(require(params), address));
  }

  private JsonNode setState(Params params) throws RpcError {
    Subsystem subsystem =
        target(params).find(params.text("nqn")).orElseThrow(() -> RpcError.of(Errno.ENODEV));
    FabricAddress address = NvmfCalls.address(params.object("listen_address"));
    return Answers.doneOr(
        RpcError.internal("error setting ANA state: -22"),
        () ->
            subsystem.access(
                address,
                (int) params.number("anagrpid", 0),
                AnaState.of(params.text("ana_state"))));
  }

  private JsonNode addHost(Params params) throws RpcError {
    target(params);
    SubsystemHost host =
        new SubsystemHost(
            params.text("host"),
            params.text("dhchap_key", ""),
            params.text("dhchap_ctrlr_key", ""),
            params.text("psk", ""));
    requireKeys(host.key(), host.controllerKey());
    boolean halfProof = !host.controllerKey().isEmpty() && host.key().isEmpty();
    boolean unknownPsk = !host.psk().isEmpty() && !keyring.has(host.psk());
    if (halfProof || unknownPsk) {
      throw RpcError.internal("Internal error");
    }
    return Answers.doneOr(RpcError.internal("Internal error"), () -> require(params).admit(host));
  }

  private void requireKeys(String... names) throws RpcError {
    for (String name : names) {
      if (!name.isEmpty() && !keyring.has(name)) {
        throw RpcError.invalid();
      }
    }
  }

  private JsonNode setKeys(Params params) throws RpcError {
    String key = params.text("dhchap_key", "");
    String controllerKey = params.text("dhchap_ctrlr_key", "");
    requireKeys(key, controllerKey);
    return Answers.done(() -> require(params).keys(params.text("host"), key, controllerKey));
  }
}
