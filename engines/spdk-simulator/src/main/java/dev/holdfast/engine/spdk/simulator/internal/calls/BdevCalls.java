package dev.holdfast.engine.spdk.simulator.internal.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.simulator.internal.bdev.AioBdev;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdev;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdevs;
import dev.holdfast.engine.spdk.simulator.internal.bdev.RateLimits;
import dev.holdfast.engine.spdk.simulator.internal.lvol.Lvstores;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Params;
import dev.holdfast.engine.spdk.simulator.internal.rpc.RpcError;
import dev.holdfast.engine.spdk.simulator.internal.rpc.RpcMethods;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/** Methods of all devices, and of files as devices. */
public final class BdevCalls {
  private static final long TICK_RATE = 2_600_000_000L;
  private static final int DEFAULT_BLOCK = 512;

  private final Bdevs bdevs;
  private final Lvstores stores;
  private final Function<String, Path> files;

  /**
   * Creates the methods.
   *
   * @param files where the files are that calls name
   */
  public BdevCalls(Bdevs bdevs, Lvstores stores, Function<String, Path> files) {
    this.bdevs = bdevs;
    this.stores = stores;
    this.files = files;
  }

  /** Adds them. */
  public void register(RpcMethods methods) {
    methods.add("bdev_get_bdevs", this::list);
    methods.add("bdev_wait_for_examine", params -> Answers.TRUE);
    methods.add("bdev_get_iostat", this::statistics);
    methods.add("bdev_reset_iostat", this::reset);
    methods.add("bdev_set_qos_limit", this::limit);
    methods.add("bdev_aio_create", this::createFile);
    methods.addWaiting("bdev_aio_delete", this::deleteFile);
    methods.add("notify_get_types", params -> eventTypes());
    methods.add(
        "notify_get_notifications",
        params -> bdevs.events(params.number("id", 0), params.number("max", Long.MAX_VALUE)));
  }

  private static JsonNode eventTypes() {
    return JsonNodeFactory.instance
        .arrayNode()
        .add("bdev_register")
        .add("bdev_unregister")
        .add("bdev_resize");
  }

  private JsonNode list(Params params) throws RpcError {
    List<Bdev> shown =
        params.has("name")
            ? List.of(Answers.now(() -> bdevs.require(params.text("name"))))
            : bdevs.all();
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    shown.forEach(device -> list.add(device.description()));
    return list;
  }

  private JsonNode statistics(Params params) throws RpcError {
    List<Bdev> shown = new ArrayList<>();
    for (String name : params.texts("names")) {
      shown.add(Answers.now(() -> bdevs.require(name)));
    }
    if (!params.has("names")) {
      shown.addAll(bdevs.all());
    }
    ObjectNode answer =
        Answers.object().put("tick_rate", TICK_RATE).put("ticks", System.nanoTime());
    if (params.flag("per_channel", false)) {
      return perChannel(answer, shown);
    }
    ArrayNode list = answer.putArray("bdevs");
    shown.forEach(device -> list.add(device.statistics()));
    return answer;
  }

  private static JsonNode perChannel(ObjectNode answer, List<Bdev> shown) throws RpcError {
    if (shown.size() != 1) {
      throw RpcError.of(Errno.EINVAL);
    }
    ObjectNode counters = shown.get(0).statistics();
    answer.set("name", counters.remove("name"));
    answer.putArray("channels").add(counters.put("thread_id", 2));
    return answer;
  }

  private JsonNode reset(Params params) throws RpcError {
    if (params.has("name")) {
      Answers.now(() -> bdevs.require(params.text("name"))).resetStatistics();
    } else {
      bdevs.all().forEach(Bdev::resetStatistics);
    }
    return Answers.TRUE;
  }

  /**
   * Sets limits. SPDK refuses to change those of a device that no module uses, because the call's
   * own access to the device begins to enable them and does not end before the call.
   */
  private JsonNode limit(Params params) throws RpcError {
    Bdev device = Answers.now(() -> bdevs.require(params.text("name")));
    if (RateLimits.NAMES.stream().noneMatch(params::has)) {
      throw RpcError.of(Errno.EINVAL, "No rate limits specified");
    }
    if (device.limits().areSet() && !device.isUsed()) {
      throw RpcError.invalid("Failed to configure rate limit: Resource temporarily unavailable");
    }
    for (String name : RateLimits.NAMES) {
      if (params.has(name)) {
        device.limits().set(name, params.number(name, 0));
      }
    }
    return Answers.TRUE;
  }

  private JsonNode createFile(Params params) throws RpcError {
    String name = params.text("name");
    return Answers.now(
        () -> {
          if (bdevs.find(name).isPresent()) {
            throw new ErrnoException(Errno.EEXIST);
          }
          AioBdev device = open(params);
          stores.examine(device); // as in SPDK, volumes are there before their disk
          bdevs.register(device);
          return Answers.text(name);
        });
  }

  private AioBdev open(Params params) throws ErrnoException {
    String filename = params.text("filename");
    try {
      return AioBdev.open(
          params.text("name"),
          params.uuid("uuid").orElseGet(UUID::randomUUID),
          (int) params.number("block_size", DEFAULT_BLOCK),
          filename,
          files.apply(filename));
    } catch (NoSuchFileException e) {
      throw new ErrnoException(Errno.ENOENT);
    } catch (IOException e) {
      throw new ErrnoException(Errno.EIO);
    }
  }

  private JsonNode deleteFile(Params params) throws RpcError {
    return Answers.done(
        () -> {
          Bdev device = bdevs.require(params.text("name"));
          if (!(device instanceof AioBdev)) {
            throw new ErrnoException(Errno.ENODEV);
          }
          bdevs.unregister(device);
        });
  }
}
