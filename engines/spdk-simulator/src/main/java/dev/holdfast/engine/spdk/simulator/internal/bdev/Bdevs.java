package dev.holdfast.engine.spdk.simulator.internal.bdev;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The devices of a target by name, and the events about them. Thread-safe. */
public final class Bdevs {
  private static final Logger LOG = LoggerFactory.getLogger(Bdevs.class);

  private final Map<String, Bdev> devices = new LinkedHashMap<>();
  private final List<String[]> events = new ArrayList<>();

  /** Adds a device. */
  public void register(Bdev device) throws ErrnoException {
    if (find(device.name()).isPresent()) {
      throw new ErrnoException(Errno.EEXIST);
    }
    synchronized (this) {
      devices.put(device.name(), device);
      events.add(new String[] {"bdev_register", device.name()});
    }
  }

  /** Removes a device. Its users let go of it first, as with a disk that is pulled. */
  public void unregister(Bdev device) {
    synchronized (this) {
      if (devices.remove(device.name()) == null) {
        return;
      }
      events.add(new String[] {"bdev_unregister", device.name()});
    }
    device.removed();
    try {
      device.close();
    } catch (IOException e) {
      LOG.warn("bdev {}: could not close", device.name(), e);
    }
  }

  /** Returns a device by name or alias. Devices are asked for aliases without this monitor. */
  public Optional<Bdev> find(String name) {
    synchronized (this) {
      Bdev device = devices.get(name);
      if (device != null) {
        return Optional.of(device);
      }
    }
    return all().stream().filter(one -> one.aliases().contains(name)).findFirst();
  }

  /** Returns a device by name or alias. */
  public Bdev require(String name) throws ErrnoException {
    return find(name).orElseThrow(() -> new ErrnoException(Errno.ENODEV));
  }

  /** Returns all devices, in the order of their registration. */
  public synchronized List<Bdev> all() {
    return List.copyOf(devices.values());
  }

  /** Closes the files below all devices, so that nothing is written any more. */
  public void pullFiles() throws IOException {
    for (Bdev device : all()) {
      if (device instanceof AioBdev file) {
        file.close();
      }
    }
  }

  /** Returns events from a number on. */
  public synchronized ArrayNode events(long from, long most) {
    ArrayNode found = JsonNodeFactory.instance.arrayNode();
    for (long id = from; id < events.size() && id - from < most; id++) {
      String[] event = events.get((int) id);
      found.addObject().put("type", event[0]).put("ctx", event[1]).put("id", id);
    }
    return found;
  }
}
