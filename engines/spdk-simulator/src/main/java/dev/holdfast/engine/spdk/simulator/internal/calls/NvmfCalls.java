package dev.holdfast.engine.spdk.simulator.internal.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.holdfast.engine.spdk.simulator.fabric.FabricAddress;
import dev.holdfast.engine.spdk.simulator.internal.nvmf.NvmfTarget;
import dev.holdfast.engine.spdk.simulator.internal.nvmf.NvmfTargets;
import dev.holdfast.engine.spdk.simulator.internal.nvmf.SubsystemOptions;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Params;
import dev.holdfast.engine.spdk.simulator.internal.rpc.RpcError;
import dev.holdfast.engine.spdk.simulator.internal.rpc.RpcMethods;

/** Methods of NVMe-oF targets, their transports, and their subsystems as a whole. */
public final class NvmfCalls {
  private final NvmfTargets targets;

  /** Creates the methods. */
  public NvmfCalls(NvmfTargets targets) {
    this.targets = targets;
  }

  /** Adds them. */
  public void register(RpcMethods methods) {
    methods.add("nvmf_get_targets", params -> names());
    methods.add("nvmf_create_target", this::createTarget);
    methods.add("nvmf_delete_target", this::deleteTarget);
    methods.add("nvmf_create_transport", this::createTransport);
    methods.add("nvmf_get_transports", this::transports);
    methods.add("nvmf_create_subsystem", this::createSubsystem);
    methods.addWaiting("nvmf_delete_subsystem", this::deleteSubsystem);
    methods.add("nvmf_get_subsystems", this::subsystems);
  }

  static FabricAddress address(Params params) {
    return new FabricAddress(
        params.text("trtype"),
        params.text("adrfam", "IPv4"),
        params.text("traddr"),
        params.text("trsvcid", ""));
  }

  static NvmfTarget target(NvmfTargets targets, Params params) throws RpcError {
    return targets
        .find(params.find("tgt_name"))
        .orElseThrow(() -> RpcError.internal("Unable to find a target."));
  }

  private JsonNode names() {
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    targets.names().forEach(list::add);
    return list;
  }

  private JsonNode createTarget(Params params) throws RpcError {
    try {
      targets.create(params.text("name"));
      return Answers.text(params.text("name"));
    } catch (ErrnoException e) {
      throw RpcError.invalid("Target already exists.");
    }
  }

  private JsonNode deleteTarget(Params params) throws RpcError {
    return Answers.doneOr(
        RpcError.invalid("The specified target doesn't exist, cannot delete it."),
        () -> targets.delete(params.text("name")));
  }

  private JsonNode createTransport(Params params) throws RpcError {
    NvmfTarget target = target(targets, params);
    String type = params.text("trtype");
    if (!type.equalsIgnoreCase("TCP")) {
      throw RpcError.internal("Transport type '" + type + "' unavailable.");
    }
    if (!target.addTcp()) {
      throw RpcError.internal("Transport type '" + type + "' already exists");
    }
    return Answers.TRUE;
  }

  private JsonNode transports(Params params) throws RpcError {
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    if (target(targets, params).hasTcp()) {
      list.addObject()
          .put("trtype", "TCP")
          .put("max_queue_depth", 128)
          .put("max_io_qpairs_per_ctrlr", 127)
          .put("in_capsule_data_size", 4_096)
          .put("max_io_size", 131_072)
          .put("max_aq_depth", 128)
          .put("iobuf_small_cache_size", 4_294_967_295L)
          .put("iobuf_large_cache_size", 4_294_967_295L)
          .put("dif_insert_or_strip", false)
          .put("zcopy", false)
          .put("c2h_success", true)
          .put("sock_priority", 0)
          .put("abort_timeout_sec", 1)
          .put("ack_timeout", 0)
          .put("data_wr_pool_size", 0)
          .put("disable_command_passthru", false)
          .put("kas", 100)
          .put("min_kato", 10_000);
    }
    return list;
  }

  private JsonNode createSubsystem(Params params) throws RpcError {
    SubsystemOptions options =
        new SubsystemOptions(
            params.text("nqn"),
            params.text("serial_number", "00000000000000000000"),
            params.text("model_number", "SPDK bdev Controller"),
            params.flag("allow_any_host", false),
            params.flag("ana_reporting", false),
            (int) params.number("min_cntlid", 1),
            (int) params.number("max_cntlid", 0xffef));
    NvmfTarget target =
        targets
            .find(params.find("tgt_name"))
            .orElseThrow(
                () ->
                    RpcError.internal(
                        "Unable to find target " + params.text("tgt_name", "(null)")));
    if (!options.hasGoodRange()) {
      throw RpcError.invalid(
          "Invalid cntlid range ["
              + options.firstController()
              + "-"
              + options.lastController()
              + "]");
    }
    return Answers.doneOr(
        RpcError.internal("Unable to create subsystem " + options.nqn()),
        () -> target.create(options));
  }

  private JsonNode deleteSubsystem(Params params) throws RpcError {
    NvmfTarget target = target(targets, params);
    target.delete(target.find(params.text("nqn")).orElseThrow(RpcError::invalid));
    return Answers.TRUE;
  }

  private JsonNode subsystems(Params params) throws RpcError {
    NvmfTarget target = target(targets, params);
    if (!params.has("nqn")) {
      return target.describe();
    }
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    SubsystemCalls.known(target, params).describe(list.addObject());
    return list;
  }
}
