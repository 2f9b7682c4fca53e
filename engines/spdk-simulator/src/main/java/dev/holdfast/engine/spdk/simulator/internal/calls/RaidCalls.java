package dev.holdfast.engine.spdk.simulator.internal.calls;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.engine.spdk.simulator.internal.raid.Raids;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Params;
import dev.holdfast.engine.spdk.simulator.internal.rpc.RpcError;
import dev.holdfast.engine.spdk.simulator.internal.rpc.RpcMethods;

/** Methods of mirrors. */
public final class RaidCalls {
  private final Raids raids;

  /** Creates the methods. */
  public RaidCalls(Raids raids) {
    this.raids = raids;
  }

  /** Adds them. */
  public void register(RpcMethods methods) {
    methods.add(
        "bdev_raid_set_options",
        params -> {
          raids.window(params.number("process_window_size_kb", 1_024));
          return Answers.TRUE;
        });
    methods.add("bdev_raid_get_bdevs", params -> raids.describe(params.text("category")));
    methods.add("bdev_raid_create", this::create);
    methods.addWaiting("bdev_raid_delete", this::delete);
    methods.add("bdev_raid_add_base_bdev", this::addLeg);
    methods.addWaiting("bdev_raid_remove_base_bdev", this::removeLeg);
  }

  /** Only mirrors without a superblock are modelled. */
  private JsonNode create(Params params) throws RpcError {
    String name = params.text("name");
    try {
      if (!params.text("raid_level").endsWith("1") || params.flag("superblock", false)) {
        throw new ErrnoException(Errno.EINVAL);
      }
      raids.create(name, params.uuid("uuid"), params.texts("base_bdevs"));
      return Answers.TRUE;
    } catch (ErrnoException e) {
      throw RpcError.of(e.errno(), "Failed to create RAID bdev " + name + ": " + e.errno().text());
    }
  }

  private JsonNode delete(Params params) throws RpcError {
    String name = params.text("name");
    try {
      raids.delete(name);
      return Answers.TRUE;
    } catch (ErrnoException e) {
      throw RpcError.of(e.errno(), "raid bdev " + name + " not found");
    }
  }

  private JsonNode addLeg(Params params) throws RpcError {
    String raid = params.text("raid_bdev");
    String leg = params.text("base_bdev");
    if (!raids.has(raid)) {
      throw RpcError.of(Errno.ENODEV, "raid bdev " + raid + " is not found in config");
    }
    try {
      raids.addLeg(raid, leg);
      return Answers.TRUE;
    } catch (ErrnoException e) {
      throw RpcError.of(
          e.errno(),
          "Failed to add base bdev " + leg + " to RAID bdev " + raid + ": " + e.errno().text());
    }
  }

  private JsonNode removeLeg(Params params) throws RpcError {
    try {
      raids.removeLeg(params.text("name"));
      return Answers.TRUE;
    } catch (ErrnoException e) {
      throw RpcError.of(e.errno(), "Failed to remove base bdev from raid bdev");
    }
  }
}
