package dev.holdfast.engine.spdk.simulator.internal.nvme;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import dev.holdfast.engine.spdk.simulator.fabric.FabricAddress;
import dev.holdfast.engine.spdk.simulator.fabric.FabricHost;
import dev.holdfast.engine.spdk.simulator.fabric.FabricNamespace;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdev;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdevs;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** The attached controllers of a target by name. Thread-safe. */
public final class AttachedControllers {
  private final Fabric fabric;
  private final Bdevs bdevs;
  private final Map<String, AttachedController> controllers = new LinkedHashMap<>();
  private final Map<String, List<Bdev>> devices = new LinkedHashMap<>();

  /** Creates a registry without controllers. */
  public AttachedControllers(Fabric fabric, Bdevs bdevs) {
    this.fabric = fabric;
    this.bdevs = bdevs;
  }

  public synchronized boolean isEmpty() {
    return controllers.isEmpty();
  }

  /**
   * Attaches a controller.
   *
   * @return the names of its devices
   */
  public synchronized List<String> attach(
      String name, FabricAddress address, String subsystem, FabricHost host, LossRules rules)
      throws ErrnoException {
    rules.check();
    requireNew(name, address, subsystem);
    AttachedController controller;
    try {
      controller =
          new AttachedController(
              fabric, name, address, subsystem, host, rules, () -> dropDevices(name));
    } catch (IOException e) {
      throw new ErrnoException(Errno.EIO);
    }
    controllers.put(name, controller);
    List<Bdev> made = new ArrayList<>();
    for (FabricNamespace namespace : controller.namespaces()) {
      Bdev device = new NvmeBdev(controller, namespace);
      bdevs.register(device);
      made.add(device);
    }
    devices.put(name, made);
    return made.stream().map(Bdev::name).toList();
  }

  private void requireNew(String name, FabricAddress address, String subsystem)
      throws ErrnoException {
    AttachedController present = controllers.get(name);
    if (present != null) {
      boolean same = present.address().equals(address) && present.subsystem().equals(subsystem);
      throw new ErrnoException(same ? Errno.EALREADY : Errno.EIO);
    }
    if (controllers.values().stream().anyMatch(one -> one.subsystem().equals(subsystem))) {
      throw new ErrnoException(Errno.EEXIST);
    }
  }

  /** Removes the devices of a controller whose peer is lost. */
  private void dropDevices(String name) {
    List<Bdev> lost;
    synchronized (this) {
      lost = List.copyOf(devices.getOrDefault(name, List.of()));
      devices.remove(name);
    }
    lost.forEach(bdevs::unregister);
  }

  /** Detaches a controller. */
  public void detach(String name) throws ErrnoException {
    AttachedController controller = require(name);
    controller.close();
    dropDevices(name);
    synchronized (this) {
      controllers.remove(name);
    }
  }

  private synchronized AttachedController require(String name) throws ErrnoException {
    AttachedController controller = controllers.get(name);
    if (controller == null) {
      throw new ErrnoException(Errno.ENODEV);
    }
    return controller;
  }

  /** Ends the connection; mirrors drop its devices. */
  public void disable(String name) throws ErrnoException {
    AttachedController controller = require(name);
    controller.disable();
    List<Bdev> failed;
    synchronized (this) {
      failed = List.copyOf(devices.getOrDefault(name, List.of()));
    }
    failed.forEach(Bdev::fail);
  }

  /** Connects again after {@link #disable}. */
  public void enable(String name) throws ErrnoException {
    change(name, AttachedController::enable);
  }

  /** Connects again. */
  public void reset(String name) throws ErrnoException {
    change(name, AttachedController::reset);
  }

  private void change(String name, Consumer<AttachedController> change) throws ErrnoException {
    change.accept(require(name));
  }

  /** Changes the secrets that the next connection presents. */
  public void secrets(String name, UnaryOperator<FabricHost> change) throws ErrnoException {
    AttachedController controller = require(name);
    controller.secrets(change.apply(controller.host()));
  }

  /** Returns the answer to {@code bdev_nvme_get_controllers}. */
  public ArrayNode describe(Optional<String> name) throws ErrnoException {
    List<AttachedController> shown =
        name.isPresent() ? List.of(require(name.get())) : allControllers();
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    for (AttachedController controller : shown) {
      controller.probe();
      list.add(controller.description());
    }
    return list;
  }

  private synchronized List<AttachedController> allControllers() {
    return List.copyOf(controllers.values());
  }

  /** Ends all connections, as the end of the process does. */
  public void kill() {
    allControllers().forEach(AttachedController::close);
  }
}
