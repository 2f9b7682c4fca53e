package dev.holdfast.engine.spdk.simulator.internal.lvol;

import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdev;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdevs;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The stores of a target by name. Thread-safe. */
public final class Lvstores {
  private final Bdevs bdevs;
  private final Map<String, Lvstore> stores = new LinkedHashMap<>();

  /** Creates a registry without stores. */
  public Lvstores(Bdevs bdevs) {
    this.bdevs = bdevs;
  }

  /** Makes a store on a device. */
  public synchronized Lvstore create(String name, Bdev device, int clusterSize)
      throws ErrnoException {
    device.claim();
    try {
      LvolChanges.requireName(name);
      if (stores.containsKey(name)) {
        throw new ErrnoException(Errno.EEXIST);
      }
      Lvstore store = Lvstore.create(name, device, bdevs, clusterSize);
      use(store);
      return store;
    } catch (ErrnoException e) {
      device.release();
      throw e;
    } catch (IOException e) {
      device.release();
      throw new ErrnoException(Errno.EIO);
    }
  }

  private void use(Lvstore store) {
    stores.put(store.name(), store);
    store.device().onRemoval(() -> leave(store));
  }

  /** Takes the store into use that a device holds, if it holds one. */
  public synchronized void examine(Bdev device) throws ErrnoException {
    try {
      Optional<Lvstore> store = Lvstore.load(device, bdevs);
      if (store.isPresent()) {
        device.claim();
        use(store.get());
        for (Lvol lvol : store.get().lvols()) {
          bdevs.register(lvol);
        }
      }
    } catch (IOException e) {
      throw new ErrnoException(Errno.EIO);
    }
  }

  /** Stops using a store and leaves its content on the device. */
  private void leave(Lvstore store) {
    store.lvols().forEach(bdevs::unregister);
    synchronized (this) {
      stores.remove(store.name());
    }
    store.device().release();
  }

  /** Removes a store with its volumes. */
  public void delete(Lvstore store) throws ErrnoException {
    leave(store);
    try {
      store.destroy();
    } catch (IOException e) {
      throw new ErrnoException(Errno.EIO);
    }
  }

  /** Returns all stores in the order in which they came into use. */
  public synchronized List<Lvstore> all() {
    return List.copyOf(stores.values());
  }

  /** Returns a store by name or UUID. */
  public synchronized Lvstore require(String nameOrUuid) throws ErrnoException {
    return stores.values().stream()
        .filter(
            store -> store.name().equals(nameOrUuid) || store.uuid().toString().equals(nameOrUuid))
        .findFirst()
        .orElseThrow(() -> new ErrnoException(Errno.ENODEV));
  }
}
