package dev.holdfast.engine.spdk.simulator.internal.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.holdfast.engine.spdk.simulator.fabric.FabricHost;
import dev.holdfast.engine.spdk.simulator.internal.nvme.AttachedControllers;
import dev.holdfast.engine.spdk.simulator.internal.nvme.LossRules;
import dev.holdfast.engine.spdk.simulator.internal.nvmf.Keyring;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Params;
import dev.holdfast.engine.spdk.simulator.internal.rpc.RpcError;
import dev.holdfast.engine.spdk.simulator.internal.rpc.RpcMethods;
import java.util.UUID;

/** Methods of attached controllers. Those that end connections wait for I/O that they end. */
public final class NvmeCalls {
  private final AttachedControllers controllers;
  private final Keyring keyring;
  private final String ownName = "nqn.2014-08.org.nvmexpress:uuid:" + UUID.randomUUID();

  /** Creates the methods. */
  public NvmeCalls(AttachedControllers controllers, Keyring keyring) {
    this.controllers = controllers;
    this.keyring = keyring;
  }

  /** Adds them. */
  public void register(RpcMethods methods) {
    methods.add("bdev_nvme_set_options", params -> setOptions());
    methods.add("bdev_nvme_attach_controller", this::attach);
    methods.add(
        "bdev_nvme_get_controllers",
        params -> Answers.now(() -> controllers.describe(params.find("name"))));
    methods.addWaiting(
        "bdev_nvme_detach_controller",
        params -> Answers.done(() -> controllers.detach(params.text("name"))));
    methods.addWaiting(
        "bdev_nvme_disable_controller",
        params -> Answers.done(() -> controllers.disable(params.text("name"))));
    methods.add(
        "bdev_nvme_enable_controller",
        params -> Answers.done(() -> controllers.enable(params.text("name"))));
    methods.add(
        "bdev_nvme_reset_controller",
        params -> Answers.done(() -> controllers.reset(params.text("name"))));
    methods.add("bdev_nvme_set_keys", this::setKeys);
  }

  private JsonNode setOptions() throws RpcError {
    if (!controllers.isEmpty()) {
      throw RpcError.of(Errno.EPERM);
    }
    return Answers.TRUE;
  }

  private JsonNode attach(Params params) throws RpcError {
    String name = params.text("name");
    try {
      ArrayNode devices = JsonNodeFactory.instance.arrayNode();
      controllers
          .attach(
              name,
              NvmfCalls.address(params),
              params.text("subnqn", ""),
              host(params),
              new LossRules(
                  params.number("ctrlr_loss_timeout_sec", 0),
                  params.number("reconnect_delay_sec", 0),
                  params.number("fast_io_fail_timeout_sec", 0)))
          .forEach(devices::add);
      return devices;
    } catch (ErrnoException e) {
      if (e.errno() == Errno.EALREADY) {
        throw RpcError.of(
            e.errno(),
            "A controller named " + name + " already exists with the specified network path");
      }
      throw RpcError.of(e.errno());
    }
  }

  private FabricHost host(Params params) throws ErrnoException {
    return new FabricHost(
        params.text("hostnqn", ownName),
        keyring.secret(params.text("dhchap_key", "")),
        keyring.secret(params.text("dhchap_ctrlr_key", "")),
        keyring.secret(params.text("psk", "")));
  }

  private JsonNode setKeys(Params params) throws RpcError {
    return Answers.done(
        () -> {
          String key = keyring.secret(params.text("dhchap_key", ""));
          String controllerKey = keyring.secret(params.text("dhchap_ctrlr_key", ""));
          controllers.secrets(
              params.text("name"),
              host -> new FabricHost(host.nqn(), key, controllerKey, host.psk()));
        });
  }
}
