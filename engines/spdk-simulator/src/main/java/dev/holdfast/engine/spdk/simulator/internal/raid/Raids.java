package dev.holdfast.engine.spdk.simulator.internal.raid;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdev;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdevs;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The mirrors of a target by name, and their rebuilds. Thread-safe. */
public final class Raids {
  private static final int DEFAULT_WINDOW = 1 << 20;
  private static final int KIB = 1_024;

  private final Bdevs bdevs;
  private final RebuildPace pace;
  private final Map<String, RaidBdev> raids = new LinkedHashMap<>();
  private volatile int windowBytes = DEFAULT_WINDOW;

  /**
   * Creates a registry without mirrors.
   *
   * @param pace runs rebuilds
   */
  public Raids(Bdevs bdevs, RebuildPace pace) {
    this.bdevs = bdevs;
    this.pace = pace;
  }

  /** Sets the bytes that a rebuild copies at a time. */
  public void window(long kib) {
    windowBytes = (int) kib * KIB;
  }

  /** Makes a mirror. Its size is that of its first leg, and no leg may be smaller. */
  public synchronized void create(String name, Optional<UUID> uuid, List<String> legs)
      throws ErrnoException {
    if (raids.containsKey(name) || bdevs.find(name).isPresent()) {
      throw new ErrnoException(Errno.EEXIST);
    }
    if (legs.size() < 2) {
      throw new ErrnoException(Errno.EINVAL);
    }
    List<Bdev> devices = new ArrayList<>();
    for (String leg : legs) {
      devices.add(bdevs.require(leg));
    }
    Bdev smallest =
        devices.stream().min((one, other) -> Long.compare(one.size(), other.size())).orElseThrow();
    RaidBdev raid =
        new RaidBdev(
            name, uuid.orElseGet(UUID::randomUUID), legs.size(), smallest, () -> vanish(name));
    try {
      for (int i = 0; i < legs.size(); i++) {
        raid.join(legs.get(i), devices.get(i));
      }
    } catch (ErrnoException e) {
      raid.dissolve();
      throw e;
    }
    raids.put(name, raid);
    bdevs.register(raid);
  }

  private void vanish(String name) {
    RaidBdev raid;
    synchronized (this) {
      raid = raids.remove(name);
    }
    if (raid != null) {
      bdevs.unregister(raid);
    }
  }

  private synchronized Optional<RaidBdev> find(String name) {
    return Optional.ofNullable(raids.get(name));
  }

  /** Removes a mirror. Its legs keep their content. */
  public void delete(String name) throws ErrnoException {
    find(name).orElseThrow(() -> new ErrnoException(Errno.ENODEV)).dissolve();
    vanish(name);
  }

  /** Removes a leg from its mirror, after the I/O in flight. */
  public void removeLeg(String leg) throws ErrnoException {
    Bdev device = bdevs.require(leg);
    owner(device).orElseThrow(() -> new ErrnoException(Errno.ENODEV)).leave(device);
  }

  private synchronized Optional<RaidBdev> owner(Bdev device) {
    return raids.values().stream().filter(raid -> raid.has(device)).findFirst();
  }

  /** Returns whether a mirror of this name is there. */
  public boolean has(String name) {
    return find(name).isPresent();
  }

  /** Adds a leg and begins the stock rebuild. */
  public void addLeg(String name, String leg) throws ErrnoException {
    RaidBdev raid = find(name).orElseThrow(() -> new ErrnoException(Errno.ENODEV));
    Bdev device = bdevs.require(leg);
    if (device.size() < raid.size()) {
      throw new ErrnoException(Errno.EINVAL);
    }
    raid.rebuild(raid.join(leg, device), windowBytes);
    pace.start(raid::rebuildNext);
  }

  /** Returns the answer to {@code bdev_raid_get_bdevs}. */
  public synchronized ArrayNode describe(String category) {
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    for (RaidBdev raid : raids.values()) {
      if (category.equals("all") || category.equals(raid.state())) {
        ObjectNode entry = list.addObject().put("name", raid.name());
        raid.describeRaid(entry);
        entry.putRawValue("uuid", twice(raid.uuid()));
      }
    }
    return list;
  }

  /** SPDK tells the uuid twice here, as two members of one name. */
  private static RawValue twice(UUID uuid) {
    return new RawValue("\"%1$s\",\"uuid\":\"%1$s\"".formatted(uuid));
  }
}
