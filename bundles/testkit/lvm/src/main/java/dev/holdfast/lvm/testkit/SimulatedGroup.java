package dev.holdfast.lvm.testkit;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The disk of a volume group for one or several simulated hosts, with the locks that lvmlockd would
 * store there. Its monitor guards the state of all its hosts.
 */
public final class SimulatedGroup {
  final long extent;
  final Map<String, Volume> volumes = new LinkedHashMap<>();
  final Set<String> tags = new TreeSet<>();
  final List<SimulatedLvm> hosts = new ArrayList<>();
  String lockType;
  String uuid = "abcdef-" + UUID.randomUUID();
  int thinIds;

  /**
   * Creates a group.
   *
   * @param extent unit of allocation, in bytes
   * @param lockType empty for a group of one host, {@code sanlock} for several
   */
  public SimulatedGroup(long extent, String lockType) {
    this.extent = extent;
    this.lockType = lockType;
  }

  /** A logical volume; a pool is not in a pool itself. */
  static final class Volume {
    final String uuid = UUID.randomUUID().toString();
    final String layout;
    final String pool;
    final Set<String> tags = new TreeSet<>();

    /** Numbers of the hosts' devices of the volume. */
    final Map<SimulatedLvm, String> numbers = new LinkedHashMap<>();

    /** Hosts on which a pool has a device only because a volume in the pool has one. */
    final Set<SimulatedLvm> implied = new HashSet<>();

    /** The host with exclusive access, also after its end, until the lock expires. */
    Optional<SimulatedLvm> holder = Optional.empty();

    long size;
    long used;
    long metadata;
    long metadataUsed;
    int thinId;
    SimulatedBytes content;

    Volume(String layout, String pool, long size, int formerContent) {
      this.layout = layout;
      this.pool = pool;
      this.size = size;
      this.content = new SimulatedBytes(pool.isEmpty() ? formerContent : 0);
    }
  }

  long free() {
    return SimulatedLvm.SIZE
        - volumes.values().stream()
            .filter(volume -> volume.pool.isEmpty())
            .mapToLong(volume -> volume.size + volume.metadata)
            .sum();
  }

  boolean isShared() {
    return !lockType.isEmpty();
  }

  /** Returns the volume with the lock of a volume: its pool, or itself. */
  Volume locked(Volume volume) {
    return volume.pool.isEmpty() ? volume : volumes.get(volume.pool);
  }

  /**
   * Takes the lock of a volume for a host.
   *
   * @param alone whether the access is exclusive
   * @return whether the host holds the lock
   */
  boolean lock(SimulatedLvm host, Volume volume, boolean alone) {
    Volume locked = locked(volume);
    boolean others = locked.numbers.keySet().stream().anyMatch(other -> other != host);
    if (!isShared()) {
      return true;
    }
    if (locked.holder.isPresent() ? locked.holder.get() != host : alone && others) {
      return false;
    }
    locked.holder = alone ? Optional.of(host) : Optional.empty();
    return true;
  }

  /** Releases the lock if the host has no device that needs it. */
  void unlock(SimulatedLvm host, Volume volume) {
    Volume locked = locked(volume);
    boolean used =
        volumes.values().stream()
            .anyMatch(other -> locked(other) == locked && other.numbers.containsKey(host));
    if (!used && locked.holder.equals(Optional.of(host))) {
      locked.holder = Optional.empty();
    }
  }

  /** Returns the name of the host that holds the lock of a volume, also after its end. */
  public Optional<String> holder(String volumeUuid) {
    synchronized (this) {
      return volumes.values().stream()
          .filter(volume -> volume.uuid.equals(volumeUuid))
          .findFirst()
          .flatMap(volume -> locked(volume).holder)
          .map(SimulatedLvm::name);
    }
  }

  /** Returns the contents of all volumes in sequence. */
  public byte[] content() {
    synchronized (this) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (Volume volume : volumes.values()) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(volume.size));
        volume.content.read(0, bytes);
        all.writeBytes(bytes.array());
      }
      return all.toByteArray();
    }
  }

  /** Returns the number of hosts on which a volume has a device. */
  public int activeOn(String volume) {
    synchronized (this) {
      return volumes.get(volume).numbers.size();
    }
  }

  /**
   * Expires the locks of a host. Its watchdog has reset the host before, so its devices fail all
   * requests from now on.
   */
  public void expire(SimulatedLvm host) {
    synchronized (this) {
      for (Volume volume : volumes.values()) {
        if (volume.numbers.remove(host) != null || volume.holder.equals(Optional.of(host))) {
          volume.holder = Optional.empty();
        }
      }
      host.links().endProcess();
      notifyAll();
    }
  }
}
