package dev.holdfast.engine.spdk.simulator.internal.lvol;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdev;
import dev.holdfast.engine.spdk.simulator.internal.bdev.IoType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** A logical volume. Its state is guarded by the store's monitor. */
public final class Lvol extends Bdev {
  private final Lvstore store;
  final ClusterMap clusters = new ClusterMap();
  String label;
  long length;
  boolean thin;
  boolean snapshot;

  /** The snapshot that it stands on, null for none. */
  Lvol parent;

  /** The device of another store or target that it stands on, by UUID; null for none. */
  UUID external;

  Lvol(Lvstore store, UUID uuid, String label, long length, boolean thin) {
    super(uuid.toString(), uuid, store.blockSize());
    this.store = store;
    this.label = label;
    this.length = length;
    this.thin = thin;
  }

  public Lvstore store() {
    return store;
  }

  /** Returns the name in the store. */
  public String label() {
    synchronized (store) {
      return label;
    }
  }

  public boolean isSnapshot() {
    synchronized (store) {
      return snapshot;
    }
  }

  /** Returns the number of allocated clusters. */
  public int allocated() {
    synchronized (store) {
      return clusters.size();
    }
  }

  @Override
  public long blocks() {
    synchronized (store) {
      return length * store.clusterSize() / blockSize();
    }
  }

  @Override
  public List<String> aliases() {
    synchronized (store) {
      return List.of(store.name() + "/" + label);
    }
  }

  @Override
  protected String product() {
    return "Logical Volume";
  }

  @Override
  protected Set<IoType> supported() {
    Set<IoType> types = EnumSet.of(IoType.READ, IoType.RESET, IoType.SEEK_HOLE, IoType.SEEK_DATA);
    if (!isSnapshot()) {
      types.addAll(EnumSet.of(IoType.WRITE, IoType.UNMAP, IoType.WRITE_ZEROES));
    }
    return types;
  }

  @Override
  public boolean hasMemoryDomains() {
    return externalDevice().map(Bdev::hasMemoryDomains).orElse(false);
  }

  /** Returns the external snapshot at the end of the chain. */
  private Optional<Bdev> externalDevice() {
    synchronized (store) {
      return store.externalOf(this);
    }
  }

  @Override
  protected void describe(ObjectNode driver) {
    synchronized (store) {
      ObjectNode entry = driver.putObject("lvol");
      entry.put("lvol_store_uuid", store.uuid().toString());
      entry.put("base_bdev", store.device().name());
      entry.put("thin_provision", thin).put("num_allocated_clusters", clusters.size());
      entry.put("snapshot", snapshot).put("clone", parent != null);
      if (parent != null) {
        entry.put("base_snapshot", parent.label);
      }
      List<Lvol> clones = store.clonesOf(this);
      if (!clones.isEmpty()) {
        ArrayNode names = entry.putArray("clones");
        clones.forEach(clone -> names.add(clone.label));
      }
      entry.put("esnap_clone", external != null);
      if (external != null) {
        entry.put("external_snapshot_name", external.toString());
      }
    }
  }

  /** Returns the entry of {@code bdev_lvol_get_lvols}. */
  public void list(ObjectNode entry) {
    synchronized (store) {
      entry.put("alias", store.name() + "/" + label).put("uuid", uuid().toString());
      entry.put("name", label).put("is_thin_provisioned", thin).put("is_snapshot", snapshot);
      entry.put("is_clone", parent != null).put("is_esnap_clone", external != null);
      entry.put("is_degraded", store.isDegraded(this));
      entry.put("num_allocated_clusters", clusters.size());
      entry.putObject("lvs").put("name", store.name()).put("uuid", store.uuid().toString());
    }
  }

  @Override
  protected void readNow(long offset, ByteBuffer target) throws IOException {
    pieces(
        offset,
        target.remaining(),
        (at, bytes) -> {
          ByteBuffer piece = target.slice(target.position(), bytes);
          store.read(this, at, piece);
          target.position(target.position() + bytes);
        });
  }

  @Override
  protected void writeNow(long offset, ByteBuffer source) throws IOException {
    pieces(
        offset,
        source.remaining(),
        (at, bytes) -> {
          store.write(this, at, source.slice(source.position(), bytes));
          source.position(source.position() + bytes);
        });
  }

  @Override
  protected void zeroNow(long offset, long length) throws IOException {
    pieces(offset, length, (at, bytes) -> store.zero(this, at, bytes));
  }

  /** Work on a range within one cluster. */
  private interface Piece {
    void run(long at, int bytes) throws IOException;
  }

  private void pieces(long offset, long length, Piece work) throws IOException {
    long end = offset + length;
    for (long at = offset; at < end; ) {
      int bytes = (int) Math.min(end - at, store.clusterSize() - at % store.clusterSize());
      work.run(at, bytes);
      at += bytes;
    }
  }
}
