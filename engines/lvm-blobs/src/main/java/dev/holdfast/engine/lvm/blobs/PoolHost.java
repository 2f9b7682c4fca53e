package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.internal.lvm.LogicalVolume;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LvmGroup;
import dev.holdfast.engine.lvm.blobs.links.LinkedDevice;
import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import dev.holdfast.engine.lvm.blobs.links.PoolExport;
import dev.holdfast.engine.lvm.blobs.links.PoolLinks;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Makes the steps of this node about a pool of a shared group. Each looks at the host first and can
 * be repeated after any of its commands. The lock of the pool guards it.
 */
final class PoolHost {
  private final LvmGroup lvm;
  private final BlobSteps steps;
  private final BlobLayers layers;
  private final PoolLinks links;
  private final String node;
  private final String exportPrefix;

  /**
   * Works on one group.
   *
   * @param exportPrefix of the names of its exports, which differs from that of other groups
   */
  PoolHost(
      Host host, LvmGroup lvm, BlobSteps steps, PoolLinks links, String node, String exportPrefix) {
    this.lvm = lvm;
    this.steps = steps;
    this.layers = new BlobLayers(host);
    this.links = links;
    this.node = node;
    this.exportPrefix = exportPrefix;
  }

  private Blob blob(String name) {
    return new Blob(lvm.name(), name);
  }

  private String export(String blob) {
    return exportPrefix + blob;
  }

  private static RecordedBlob recorded(PoolRecord pool, String blob) throws StorageException {
    return pool.blob(blob)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.INTERNAL, "pool " + pool.id() + " has no blob " + blob));
  }

  /** Lets requests of this node wait, and points its devices nowhere. */
  void release(PoolRecord pool, PoolMemory memory) throws StorageException {
    for (String name : pool.usedOn(node)) {
      memory.devices(memory.devices().doubting(Set.of(name)));
      layers.cut(blob(name));
      disconnect(name);
      memory.devices(memory.devices().without(name));
    }
    memory.devices(memory.devices().released());
  }

  private void disconnect(String name) throws StorageException {
    Optional<LinkedDevice> link = links.find(export(name));
    if (link.isPresent()) {
      links.disconnect(link.get());
    }
  }

  /** Withdraws the exports, and takes the devices of LVM away, which gives the lock back. */
  void deactivate(PoolRecord pool, PoolMemory memory) throws StorageException {
    memory.withdrawAll();
    steps.deactivate(pool);
  }

  /** Takes the lock of the pool. */
  void activate(PoolRecord pool) throws StorageException {
    steps.activate(pool);
  }

  /** Exports the blobs that other nodes use, and no others. */
  void export(PoolRecord pool, PoolMemory memory) throws StorageException {
    long generation = pool.place().generation();
    memory.begin(generation);
    Set<String> wanted = pool.attachedBeside(node);
    for (String name : memory.exports(generation).keySet()) {
      if (!wanted.contains(name)) {
        memory.withdraw(name);
        steps.settle(pool, recorded(pool, name));
      }
    }
    for (String name : wanted) {
      if (!memory.exports(generation).containsKey(name)) {
        memory.exporting(name, exported(pool, name), generation);
      }
    }
  }

  private PoolExport exported(PoolRecord pool, String name) throws StorageException {
    LogicalVolume volume = steps.active(pool, recorded(pool, name));
    return links.export(lvm.device(volume.name()), export(name), pool.place().generation());
  }

  /**
   * Points the devices of this node at the pool, or at its exports, and lets requests pass. Devices
   * that this process has connected stay as they are.
   */
  void connect(PoolRecord pool, PoolMemory memory) throws StorageException {
    PoolPlace place = pool.place();
    for (String name : pool.usedOn(node)) {
      RecordedBlob recorded = recorded(pool, name);
      if (memory.devices().serves(recorded, place.generation())) {
        continue;
      }
      long size = sizeBytes(recorded);
      boolean stays = pool.attachedOn(node).contains(name);
      if (place.activeOn().equals(node)) {
        connectHere(pool, recorded, size, memory);
      } else if (stays || links.find(export(name)).isPresent()) {
        LinkedDevice link = linked(place.exports().get(name), name, memory);
        point(recorded, steps.identity(recorded), link.number(), size);
      }
      memory.devices(memory.devices().connected(name, size));
    }
  }

  /** While a blob is extended, it is not known whether it has its new size. */
  private long sizeBytes(RecordedBlob recorded) throws StorageException {
    return recorded.phase() == RecordedBlob.Phase.EXTENDING
        ? Math.min(recorded.sizeBytes(), steps.sizeBytes(recorded))
        : recorded.sizeBytes();
  }

  /** Without an answer of the export the device was not connected, and it may be tried again. */
  private LinkedDevice linked(PoolAddress address, String name, PoolMemory memory)
      throws StorageException {
    memory.devices(memory.devices().trying(name));
    try {
      return links.connect(address, export(name));
    } catch (StorageException e) {
      if (e.code() == ErrorCode.UNREACHABLE) {
        memory.devices(memory.devices().without(name));
      }
      throw e;
    }
  }

  /** Requests that wait above a lost connection are sent to an export of this node first. */
  private void connectHere(PoolRecord pool, RecordedBlob recorded, long size, PoolMemory memory)
      throws StorageException {
    LogicalVolume volume = steps.active(pool, recorded);
    String name = recorded.name();
    if (links.find(export(name)).isEmpty()) {
      point(recorded, volume.uuid(), volume.number(), size);
      return;
    }
    PoolAddress own = memory.exports(pool.place().generation()).get(name);
    if (own == null) {
      try (PoolExport export = exported(pool, name)) {
        drain(recorded, volume, size, export.address(), memory);
      }
    } else {
      drain(recorded, volume, size, own, memory);
    }
    memory.devices(memory.devices().without(name));
  }

  private void drain(
      RecordedBlob recorded,
      LogicalVolume volume,
      long size,
      PoolAddress address,
      PoolMemory memory)
      throws StorageException {
    LinkedDevice link = linked(address, recorded.name(), memory);
    point(recorded, volume.uuid(), volume.number(), size);
    links.disconnect(link);
  }

  private void point(RecordedBlob recorded, String identity, String below, long size)
      throws StorageException {
    AttachedBlob unused = layers.point(blob(recorded.name()), identity, below, size);
  }

  /** Returns those blobs whose devices have lost their connections to exports. */
  Set<String> lost(Set<String> blobs) throws StorageException {
    Set<String> names = blobs.stream().map(this::export).collect(Collectors.toSet());
    Set<String> lost = names.isEmpty() ? Set.of() : links.lost(names);
    return blobs.stream()
        .filter(name -> lost.contains(export(name)))
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Removes the devices of a blob from this node.
   *
   * @throws StorageException BUSY while a program has one open
   */
  void remove(PoolRecord pool, String name, PoolMemory memory) throws StorageException {
    try {
      layers.remove(blob(name));
      disconnect(name);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.BUSY) {
        memory.devices(memory.devices().doubting(Set.of(name)));
      }
      throw e;
    }
    memory.devices(memory.devices().without(name));
    if (!pool.isThin()) {
      steps.deactivate(pool);
    }
  }

  /** Makes a linear blob a device, which other nodes may do too. */
  AttachedBlob attachLinear(PoolRecord pool, RecordedBlob recorded) throws StorageException {
    LogicalVolume volume = steps.active(pool, recorded);
    return layers.point(
        blob(recorded.name()), volume.uuid(), volume.number(), recorded.sizeBytes());
  }

  /** Returns the device of an attached blob. */
  AttachedBlob device(RecordedBlob recorded) throws StorageException {
    Blob blob = blob(recorded.name());
    return new AttachedBlob(
        layers
            .attached(blob)
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.BUSY,
                        "blob " + blob + ": its pool is being moved: try again later")),
        recorded.sizeBytes());
  }

  boolean isActive(PoolRecord pool) throws StorageException {
    return steps.isActive(pool);
  }
}
