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
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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
    PoolPlace place = pool.place();
    for (String name : used(pool)) {
      Optional<LinkedDevice> link = links.find(export(name));
      PoolAddress address = place.exports().get(name);
      if (link.isPresent() && address != null && memory.generation() != place.generation()) {
        links.reconnect(link.get(), address, export(name)); // nothing above a dead one is suspended
      }
      layers.cut(blob(name));
      if (link.isPresent()) {
        links.disconnect(link.get());
      }
    }
    memory.connected(PoolDecider.RELEASED, Map.of());
  }

  /** Returns the blobs that are devices of this node, or still may be. */
  private Set<String> used(PoolRecord pool) {
    Set<String> names = pool.attachedOn(node);
    pool.attachments().stream()
        .filter(attachment -> attachment.node().equals(node))
        .forEach(attachment -> names.add(attachment.blob()));
    return names;
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

  /** Points the devices of this node at the pool, or at its exports, and lets requests pass. */
  void connect(PoolRecord pool, PoolMemory memory) throws StorageException {
    boolean here = pool.place().activeOn().equals(node);
    Map<String, Long> sizes = new HashMap<>();
    for (String name : pool.attachedOn(node)) {
      RecordedBlob recorded = recorded(pool, name);
      if (here) {
        connectHere(pool, recorded, memory);
      } else {
        LinkedDevice link = links.connect(pool.place().exports().get(name), export(name));
        String identity = steps.identity(recorded);
        AttachedBlob unused =
            layers.point(blob(name), identity, link.number(), recorded.sizeBytes());
      }
      sizes.put(name, recorded.sizeBytes());
    }
    memory.connected(pool.place().generation(), sizes);
  }

  /** Requests that wait above a dead connection are sent to an export of this node first. */
  private void connectHere(PoolRecord pool, RecordedBlob recorded, PoolMemory memory)
      throws StorageException {
    LogicalVolume volume = steps.active(pool, recorded);
    Optional<LinkedDevice> link = links.find(export(recorded.name()));
    if (link.isEmpty()) {
      point(recorded, volume);
      return;
    }
    String name = recorded.name();
    PoolAddress own = memory.exports(pool.place().generation()).get(name);
    if (own == null) {
      try (PoolExport export = exported(pool, name)) {
        drain(recorded, volume, link.get(), export.address());
      }
    } else {
      drain(recorded, volume, link.get(), own);
    }
  }

  private void drain(
      RecordedBlob recorded, LogicalVolume volume, LinkedDevice link, PoolAddress address)
      throws StorageException {
    links.reconnect(link, address, export(recorded.name()));
    point(recorded, volume);
    links.disconnect(link);
  }

  private void point(RecordedBlob recorded, LogicalVolume volume) throws StorageException {
    AttachedBlob unused =
        layers.point(blob(recorded.name()), volume.uuid(), volume.number(), recorded.sizeBytes());
  }

  /**
   * Removes the devices of a blob from this node.
   *
   * @throws StorageException BUSY while a program has one open
   */
  void remove(PoolRecord pool, String name) throws StorageException {
    layers.remove(blob(name));
    Optional<LinkedDevice> link = links.find(export(name));
    if (link.isPresent()) {
      links.disconnect(link.get());
    }
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
