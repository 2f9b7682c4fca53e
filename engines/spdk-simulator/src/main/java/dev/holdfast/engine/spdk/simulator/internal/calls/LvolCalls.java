package dev.holdfast.engine.spdk.simulator.internal.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdev;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdevs;
import dev.holdfast.engine.spdk.simulator.internal.lvol.Lvol;
import dev.holdfast.engine.spdk.simulator.internal.lvol.LvolChanges;
import dev.holdfast.engine.spdk.simulator.internal.lvol.Lvstore;
import dev.holdfast.engine.spdk.simulator.internal.lvol.Lvstores;
import dev.holdfast.engine.spdk.simulator.internal.lvol.ShallowCopies;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Params;
import dev.holdfast.engine.spdk.simulator.internal.rpc.RpcError;
import dev.holdfast.engine.spdk.simulator.internal.rpc.RpcMethods;
import java.util.List;
import java.util.UUID;

/** Methods of stores and their volumes. */
public final class LvolCalls {
  private static final int DEFAULT_CLUSTER = 4 << 20;

  private final Bdevs bdevs;
  private final Lvstores stores;
  private final ShallowCopies copies;

  /** Creates the methods. */
  public LvolCalls(Bdevs bdevs, Lvstores stores, ShallowCopies copies) {
    this.bdevs = bdevs;
    this.stores = stores;
    this.copies = copies;
  }

  /** Adds them. */
  public void register(RpcMethods methods) {
    methods.add("bdev_lvol_create_lvstore", this::createStore);
    methods.addWaiting(
        "bdev_lvol_delete_lvstore", params -> Answers.done(() -> stores.delete(store(params))));
    methods.add("bdev_lvol_get_lvstores", this::listStores);
    methods.add(
        "bdev_lvol_grow_lvstore",
        params -> Answers.done(() -> stores.require(store(params).name())));
    methods.add("bdev_lvol_create", this::create);
    methods.add("bdev_lvol_get_lvols", this::list);
    methods.add("bdev_lvol_snapshot", this::snapshot);
    methods.add("bdev_lvol_clone", this::makeClone);
    methods.add("bdev_lvol_clone_bdev", this::cloneDevice);
    methods.add("bdev_lvol_rename", this::rename);
    methods.add("bdev_lvol_resize", this::resize);
    methods.addWaiting("bdev_lvol_delete", this::delete);
    methods.add("bdev_lvol_inflate", params -> changed(params, LvolChanges::inflate));
    methods.add("bdev_lvol_decouple_parent", params -> changed(params, LvolChanges::decouple));
    methods.add("bdev_lvol_set_parent", this::setParent);
    methods.add("bdev_lvol_set_parent_bdev", this::setExternal);
    methods.add("bdev_lvol_start_shallow_copy", this::startCopy);
    methods.add(
        "bdev_lvol_check_shallow_copy",
        params -> Answers.now(() -> copies.check(params.number("operation_id", 0))));
  }

  // --- stores -----------------------------------------------------------------------------

  private JsonNode createStore(Params params) throws RpcError {
    return Answers.now(
        () -> {
          Bdev device = bdevs.require(params.text("bdev_name"));
          int cluster = (int) params.number("cluster_sz", DEFAULT_CLUSTER);
          if (cluster < DEFAULT_CLUSTER / 1024 || cluster % device.blockSize() != 0) {
            throw new ErrnoException(Errno.EINVAL);
          }
          Lvstore store = stores.create(params.text("lvs_name"), device, cluster);
          return Answers.text(store.uuid().toString());
        });
  }

  private Lvstore store(Params params) throws ErrnoException {
    if (params.has("lvs_name") == params.has("uuid")) {
      throw new ErrnoException(Errno.EINVAL);
    }
    return stores.require(params.text("lvs_name", params.text("uuid", "")));
  }

  private JsonNode listStores(Params params) throws RpcError {
    List<Lvstore> shown =
        params.has("lvs_name") || params.has("uuid")
            ? List.of(Answers.now(() -> store(params)))
            : stores.all();
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    shown.forEach(store -> list.add(store.description()));
    return list;
  }

  // --- volumes ----------------------------------------------------------------------------

  /** Returns a volume by {@code store/name}, or by UUID. */
  private Lvol lvol(String name) throws ErrnoException {
    if (bdevs.require(name) instanceof Lvol lvol) {
      return lvol;
    }
    throw new ErrnoException(Errno.ENODEV);
  }

  private static LvolChanges of(Lvol lvol) {
    return new LvolChanges(lvol.store());
  }

  private static JsonNode named(Lvol lvol) {
    return Answers.text(lvol.uuid().toString());
  }

  /** {@code uuid} names the store here, not the volume. */
  private JsonNode create(Params params) throws RpcError {
    String label = params.text("lvol_name");
    LvolChanges changes =
        Answers.now(
            () -> {
              LvolChanges found = new LvolChanges(store(params));
              found.requireCreatable(label);
              return found;
            });
    return Answers.later(
        () ->
            named(
                changes.create(
                    label,
                    UUID.randomUUID(),
                    params.number("size_in_mib", 0),
                    params.flag("thin_provision", false))));
  }

  private JsonNode list(Params params) throws RpcError {
    List<Lvstore> shown =
        params.has("lvs_name") || params.has("lvs_uuid")
            ? List.of(
                Answers.now(
                    () -> stores.require(params.text("lvs_name", params.text("lvs_uuid", "")))))
            : stores.all();
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    for (Lvstore store : shown) {
      store.lvols().forEach(lvol -> lvol.list(list.addObject()));
    }
    return list;
  }

  private JsonNode snapshot(Params params) throws RpcError {
    Lvol lvol = Answers.now(() -> lvol(params.text("lvol_name")));
    return Answers.later(() -> named(of(lvol).snapshot(lvol, params.text("snapshot_name"))));
  }

  private JsonNode makeClone(Params params) throws RpcError {
    Lvol snapshot = Answers.now(() -> lvol(params.text("snapshot_name")));
    return Answers.later(() -> named(of(snapshot).clone(snapshot, params.text("clone_name"))));
  }

  private JsonNode cloneDevice(Params params) throws RpcError {
    LvolChanges changes;
    try {
      changes = new LvolChanges(stores.require(params.text("lvs_name")));
    } catch (ErrnoException e) {
      throw RpcError.invalid("lvs does not exist");
    }
    Bdev external =
        bdevs.find(params.text("bdev")).orElseThrow(() -> RpcError.invalid("bdev does not exist"));
    return Answers.later(() -> named(changes.cloneOf(external, params.text("clone_name"))));
  }

  private JsonNode rename(Params params) throws RpcError {
    Lvol lvol = Answers.now(() -> lvol(params.text("old_name")));
    return Answers.doneLater(() -> of(lvol).rename(lvol, params.text("new_name")));
  }

  private JsonNode resize(Params params) throws RpcError {
    Lvol lvol = Answers.now(() -> lvol(params.text("name")));
    return Answers.doneLater(() -> of(lvol).resize(lvol, params.number("size_in_mib", 0)));
  }

  private JsonNode delete(Params params) throws RpcError {
    Lvol lvol = Answers.now(() -> lvol(params.text("name")));
    try {
      of(lvol).delete(lvol);
      return Answers.TRUE;
    } catch (ErrnoException e) {
      throw RpcError.internal(e.errno().text());
    }
  }

  /** A change of a volume that needs no further parameters. */
  private interface LvolChange {
    void run(LvolChanges changes, Lvol lvol) throws ErrnoException;
  }

  private JsonNode changed(Params params, LvolChange change) throws RpcError {
    Lvol lvol = Answers.now(() -> lvol(params.text("name")));
    return Answers.doneLater(() -> change.run(of(lvol), lvol));
  }

  private JsonNode setParent(Params params) throws RpcError {
    Lvol lvol = Answers.now(() -> lvol(params.text("lvol_name")));
    Lvol parent = Answers.now(() -> lvol(params.text("parent_name")));
    return Answers.doneLater(() -> of(lvol).setParent(lvol, parent));
  }

  private JsonNode setExternal(Params params) throws RpcError {
    Lvol lvol = Answers.now(() -> lvol(params.text("lvol_name")));
    return Answers.doneLater(
        () -> of(lvol).setExternal(lvol, bdevs.require(params.text("parent_name"))));
  }

  private JsonNode startCopy(Params params) throws RpcError {
    Lvol source = Answers.now(() -> lvol(params.text("src_lvol_name")));
    Bdev target;
    try {
      target = bdevs.require(params.text("dst_bdev_name"));
      if (target.size() < source.size()) {
        throw new ErrnoException(Errno.EINVAL);
      }
    } catch (ErrnoException e) {
      copies.refused();
      throw RpcError.later(e);
    }
    return Answers.object().put("operation_id", copies.start(source, target));
  }
}
