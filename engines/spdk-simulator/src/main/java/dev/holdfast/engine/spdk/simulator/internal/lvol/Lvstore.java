package dev.holdfast.engine.spdk.simulator.internal.lvol;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdev;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdevs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.UUID;

/**
 * A store on a device. Data of a cluster are written before the metadata that name it. The monitor
 * of this object guards volumes and clusters; it is not held while an external snapshot is read,
 * because that may be a device of another target.
 */
public final class Lvstore {
  private static final long MAX_CLUSTERS = 32_728;

  private final UUID uuid;
  private final String name;
  private final Bdev device;
  private final Bdevs bdevs;
  private final int clusterSize;
  private final int blockSize;
  private final int metadataClusters;
  private final StoreFormat format;
  private final BitSet used = new BitSet();
  private final Map<String, Lvol> lvols = new LinkedHashMap<>();

  private Lvstore(StoreRecord record, Bdev device, Bdevs bdevs, StoreFormat format) {
    this.uuid = record.uuid();
    this.name = record.name();
    this.clusterSize = record.clusterSize();
    this.blockSize = record.blockSize();
    this.device = device;
    this.bdevs = bdevs;
    this.format = format;
    this.metadataClusters = (int) StoreFormat.metadataClusters(device.size(), clusterSize);
    used.set(0, metadataClusters);
  }

  /** Makes a store on a device, whatever the device holds. */
  public static Lvstore create(String name, Bdev device, Bdevs bdevs, int clusterSize)
      throws IOException {
    UUID uuid = UUID.randomUUID();
    ObjectNode empty = StoreRecord.header(uuid, name, clusterSize, device.blockSize());
    StoreFormat format = StoreFormat.create(device, clusterSize, empty);
    return new Lvstore(new StoreRecord(empty), device, bdevs, format);
  }

  /** Finds the store of a device. */
  public static Optional<Lvstore> load(Bdev device, Bdevs bdevs) throws IOException {
    Optional<StoreFormat> format = StoreFormat.find(device);
    if (format.isEmpty()) {
      return Optional.empty();
    }
    StoreRecord record = new StoreRecord(format.get().load());
    Lvstore store = new Lvstore(record, device, bdevs, format.get());
    for (Lvol lvol : record.volumes(store)) {
      store.lvols.put(lvol.label, lvol);
      lvol.clusters.entries().values().forEach(store.used::set);
    }
    return Optional.of(store);
  }

  public UUID uuid() {
    return uuid;
  }

  public String name() {
    return name;
  }

  public Bdev device() {
    return device;
  }

  Bdevs bdevs() {
    return bdevs;
  }

  int blockSize() {
    return blockSize;
  }

  public int clusterSize() {
    return clusterSize;
  }

  private int totalClusters() {
    return (int) (device.size() / clusterSize) - metadataClusters;
  }

  synchronized int freeClusters() {
    return totalClusters() + metadataClusters - used.cardinality();
  }

  /** Returns the volumes in the order of their creation. */
  public synchronized List<Lvol> lvols() {
    return List.copyOf(lvols.values());
  }

  /** Returns a volume by its name in the store. */
  public synchronized Optional<Lvol> find(String label) {
    return Optional.ofNullable(lvols.get(label));
  }

  /** Returns the entry of {@code bdev_lvol_get_lvstores}. */
  public synchronized ObjectNode description() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("uuid", uuid.toString())
        .put("name", name)
        .put("base_bdev", device.name())
        .put("total_data_clusters", totalClusters())
        .put("free_clusters", freeClusters())
        .put("block_size", blockSize())
        .put("cluster_size", clusterSize)
        .put("max_growable_size", MAX_CLUSTERS * clusterSize);
  }

  /** Removes the store from its device. */
  public synchronized void destroy() throws IOException {
    format.destroy();
  }

  synchronized void add(Lvol lvol) {
    lvols.put(lvol.label, lvol);
  }

  synchronized void remove(Lvol lvol) {
    lvols.remove(lvol.label);
    lvol.clusters.entries().values().forEach(used::clear);
    lvol.clusters.clear();
  }

  /** Keeps the order of volumes after a name changed. */
  synchronized void relabel(List<Lvol> order) {
    lvols.clear();
    order.forEach(this::add);
  }

  /** Frees the clusters past the end of a volume. */
  synchronized void truncate(Lvol lvol) {
    SortedMap<Long, Integer> past = lvol.clusters.entries().tailMap(lvol.length);
    past.values().forEach(used::clear);
    past.clear();
  }

  /** Gives the only clone of a snapshot the clusters that it shares with the snapshot. */
  synchronized void inherit(Lvol clone, Lvol snapshot) {
    snapshot
        .clusters
        .entries()
        .entrySet()
        .removeIf(
            cluster -> {
              boolean shared =
                  !clone.clusters.has(cluster.getKey()) && cluster.getKey() < clone.length;
              if (shared) {
                clone.clusters.put(cluster.getKey(), cluster.getValue());
              }
              return shared;
            });
    clone.parent = snapshot.parent;
    clone.external = snapshot.external;
  }

  synchronized List<Lvol> clonesOf(Lvol lvol) {
    return lvols.values().stream().filter(other -> other.parent == lvol).toList();
  }

  synchronized void save() throws IOException {
    format.save(StoreRecord.of(this, lvols.values()));
  }

  // --- bytes ------------------------------------------------------------------------------

  private static Lvol root(Lvol lvol) {
    Lvol root = lvol;
    while (root.parent != null) {
      root = root.parent;
    }
    return root;
  }

  synchronized Optional<Bdev> externalOf(Lvol lvol) {
    return Optional.ofNullable(root(lvol).external).flatMap(id -> bdevs.find(id.toString()));
  }

  synchronized boolean isDegraded(Lvol lvol) {
    return root(lvol).external != null && externalOf(lvol).isEmpty();
  }

  /** Returns where a cluster's content is on the device, {@link ClusterMap#NONE} if not there. */
  private static int locate(Lvol lvol, long index) {
    for (Lvol owner = lvol; owner != null; owner = owner.parent) {
      if (owner.clusters.has(index)) {
        return owner.clusters.get(index);
      }
    }
    return ClusterMap.NONE;
  }

  private long place(int cluster, long offset) {
    return (long) cluster * clusterSize + offset % clusterSize;
  }

  /** Reads within one cluster. */
  void read(Lvol lvol, long offset, ByteBuffer target) throws IOException {
    boolean external;
    synchronized (this) {
      int cluster = locate(lvol, offset / clusterSize);
      external = root(lvol).external != null;
      if (cluster != ClusterMap.NONE) {
        device.read(place(cluster, offset), target);
        return;
      }
    }
    if (external) {
      readExternal(lvol, offset, target);
    } else {
      fill(target);
    }
  }

  private void readExternal(Lvol lvol, long offset, ByteBuffer target) throws IOException {
    Bdev source =
        externalOf(lvol)
            .orElseThrow(() -> new IOException(lvol.name() + ": external snapshot is missing"));
    long there = Math.max(0, Math.min(target.remaining(), source.size() - offset));
    if (there > 0) {
      source.read(offset, target.slice(target.position(), (int) there));
      target.position(target.position() + (int) there);
    }
    fill(target);
  }

  private static void fill(ByteBuffer target) {
    while (target.hasRemaining()) {
      target.put((byte) 0);
    }
  }

  /** Writes within one cluster. */
  void write(Lvol lvol, long offset, ByteBuffer source) throws IOException {
    long index = offset / clusterSize;
    ByteBuffer below = null;
    while (true) {
      synchronized (this) {
        requireWritable(lvol);
        int cluster = lvol.clusters.get(index);
        if (cluster != ClusterMap.NONE) {
          device.write(place(cluster, offset), source);
          return;
        }
        int shared = locate(lvol, index);
        if (below != null || shared != ClusterMap.NONE || root(lvol).external == null) {
          ByteBuffer content = below == null ? ByteBuffer.allocate(clusterSize) : below;
          if (below == null && shared != ClusterMap.NONE) {
            device.read(place(shared, 0), content);
          }
          content.clear().position((int) (offset % clusterSize)).put(source);
          allocate(lvol, index, content.clear());
          return;
        }
      }
      below = ByteBuffer.allocate(clusterSize);
      readExternal(lvol, index * clusterSize, below);
    }
  }

  private static void requireWritable(Lvol lvol) throws IOException {
    if (lvol.snapshot) {
      throw new IOException(lvol.name() + ": read-only");
    }
  }

  /** Gives a volume a cluster with this content. */
  synchronized void allocate(Lvol lvol, long index, ByteBuffer content) throws IOException {
    int cluster = used.nextClearBit(metadataClusters);
    if (cluster >= totalClusters() + metadataClusters) {
      throw new IOException("No space left on device");
    }
    device.write(place(cluster, 0), content);
    used.set(cluster);
    lvol.clusters.put(index, cluster);
    save();
  }

  /** Reads a cluster as a volume sees it. */
  ByteBuffer cluster(Lvol lvol, long index) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(clusterSize);
    read(lvol, index * clusterSize, content);
    return content.clear();
  }

  /** Zeroes within one cluster. A cluster that reads as zeroes already is not allocated. */
  void zero(Lvol lvol, long offset, int length) throws IOException {
    synchronized (this) {
      requireWritable(lvol);
      int cluster = lvol.clusters.get(offset / clusterSize);
      if (cluster != ClusterMap.NONE) {
        device.zero(place(cluster, offset), length);
        return;
      }
      if (locate(lvol, offset / clusterSize) == ClusterMap.NONE && root(lvol).external == null) {
        return;
      }
    }
    write(lvol, offset, ByteBuffer.allocate(length));
  }
}
