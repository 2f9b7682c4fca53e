package dev.holdfast.engine.spdk.simulator.internal.lvol;

import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdev;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Operations on the volumes of a store, each durable when it returns. */
public final class LvolChanges {
  private static final int LONGEST_NAME = 63;
  private static final long MIB = 1 << 20;

  private final Lvstore store;

  /** Creates the operations of a store. */
  public LvolChanges(Lvstore store) {
    this.store = store;
  }

  static void requireName(String name) throws ErrnoException {
    if (name.isEmpty() || name.length() > LONGEST_NAME) {
      throw new ErrnoException(Errno.EINVAL);
    }
  }

  private void requireFree(String label) throws ErrnoException {
    requireName(label);
    if (store.find(label).isPresent()) {
      throw new ErrnoException(Errno.EEXIST);
    }
  }

  /** Checks a name before {@link #create}, which SPDK reports in another way than the rest. */
  public void requireCreatable(String label) throws ErrnoException {
    synchronized (store) {
      requireFree(label);
    }
  }

  /** Makes a volume that reads as zeroes. */
  public Lvol create(String label, UUID uuid, long sizeInMib, boolean thin) throws ErrnoException {
    synchronized (store) {
      requireFree(label);
      long length = clusters(sizeInMib);
      if (!thin && length > store.freeClusters()) {
        throw new ErrnoException(Errno.ENOSPC);
      }
      return publish(
          new Lvol(store, uuid, label, length, thin),
          lvol -> {
            if (!thin) {
              allocateAll(lvol);
            }
          });
    }
  }

  private long clusters(long sizeInMib) {
    return (sizeInMib * MIB + store.clusterSize() - 1) / store.clusterSize();
  }

  /** One step of a change. */
  private interface Step {
    void run(Lvol lvol) throws IOException;
  }

  private Lvol publish(Lvol lvol, Step before) throws ErrnoException {
    change(lvol, before);
    store.add(lvol);
    change(lvol, saved -> store.save());
    store.bdevs().register(lvol);
    return lvol;
  }

  private static void change(Lvol lvol, Step step) throws ErrnoException {
    try {
      step.run(lvol);
    } catch (IOException e) {
      boolean full = String.valueOf(e.getMessage()).contains("No space left");
      throw new ErrnoException(full ? Errno.ENOSPC : Errno.EIO);
    }
  }

  private void allocateAll(Lvol lvol) throws IOException {
    for (long index = 0; index < lvol.length; index++) {
      if (!lvol.clusters.has(index)) {
        store.allocate(lvol, index, store.cluster(lvol, index));
      }
    }
  }

  /** Makes a snapshot: it takes over the clusters, and the volume stands on it. */
  public Lvol snapshot(Lvol lvol, String label) throws ErrnoException {
    synchronized (store) {
      requireFree(label);
      if (lvol.snapshot) {
        throw new ErrnoException(Errno.EINVAL);
      }
      Lvol snapshot = new Lvol(store, UUID.randomUUID(), label, lvol.length, lvol.thin);
      snapshot.snapshot = true;
      snapshot.parent = lvol.parent;
      snapshot.external = lvol.external;
      snapshot.clusters.takeAll(lvol.clusters);
      lvol.parent = snapshot;
      lvol.external = null;
      lvol.thin = true;
      return publish(snapshot, made -> {});
    }
  }

  /** Makes a volume that stands on a snapshot. */
  public Lvol clone(Lvol snapshot, String label) throws ErrnoException {
    synchronized (store) {
      requireFree(label);
      if (!snapshot.snapshot) {
        throw new ErrnoException(Errno.EINVAL);
      }
      Lvol clone = new Lvol(store, UUID.randomUUID(), label, snapshot.length, true);
      clone.parent = snapshot;
      return publish(clone, made -> {});
    }
  }

  /** Makes a volume that stands on a device outside of the store. */
  public Lvol cloneOf(Bdev external, String label) throws ErrnoException {
    synchronized (store) {
      requireFree(label);
      if (external.size() % store.clusterSize() != 0) {
        throw new ErrnoException(Errno.EINVAL);
      }
      Lvol clone =
          new Lvol(store, UUID.randomUUID(), label, external.size() / store.clusterSize(), true);
      external.claimReading();
      clone.external = external.uuid();
      return publish(clone, made -> {});
    }
  }

  /** Changes a name. */
  public void rename(Lvol lvol, String label) throws ErrnoException {
    synchronized (store) {
      requireFree(label);
      List<Lvol> order = store.lvols();
      lvol.label = label;
      store.relabel(order);
      change(lvol, changed -> store.save());
    }
  }

  /** Changes a size. Clusters past the end are lost. */
  public void resize(Lvol lvol, long sizeInMib) throws ErrnoException {
    synchronized (store) {
      if (lvol.snapshot) {
        throw new ErrnoException(Errno.EPERM);
      }
      long length = clusters(sizeInMib);
      if (!lvol.thin && length - lvol.length > store.freeClusters()) {
        throw new ErrnoException(Errno.ENOSPC);
      }
      lvol.length = length;
      store.truncate(lvol);
      change(
          lvol,
          changed -> {
            if (!lvol.thin) {
              allocateAll(lvol);
            }
            store.save();
          });
    }
  }

  /** Removes a volume. A snapshot with one clone leaves its clusters to the clone. */
  public void delete(Lvol lvol) throws ErrnoException {
    synchronized (store) {
      List<Lvol> clones = store.clonesOf(lvol);
      if (clones.size() > 1) {
        throw new ErrnoException(Errno.EPERM);
      }
      if (clones.isEmpty()) {
        stand(lvol, null, null);
      } else {
        store.inherit(clones.get(0), lvol);
      }
      store.remove(lvol);
      change(lvol, removed -> store.save());
    }
    store.bdevs().unregister(lvol);
  }

  /** Allocates all clusters and ends the dependence on every snapshot. */
  public void inflate(Lvol lvol) throws ErrnoException {
    synchronized (store) {
      change(lvol, this::allocateAll);
      stand(lvol, null, null);
      lvol.thin = false;
      change(lvol, changed -> store.save());
    }
  }

  /** Ends the dependence on the next snapshot. Over an external one every cluster is copied. */
  public void decouple(Lvol lvol) throws ErrnoException {
    synchronized (store) {
      if (lvol.parent == null) {
        if (lvol.external == null) {
          throw new ErrnoException(Errno.EINVAL);
        }
        inflate(lvol);
        return;
      }
      Lvol parent = lvol.parent;
      change(
          lvol,
          changed -> {
            for (long index : List.copyOf(parent.clusters.entries().keySet())) {
              if (!lvol.clusters.has(index)) {
                store.allocate(lvol, index, store.cluster(lvol, index));
              }
            }
          });
      stand(lvol, parent.parent, parent.external);
      change(lvol, changed -> store.save());
    }
  }

  /** Lets a volume stand on another snapshot of the store. */
  public void setParent(Lvol lvol, Lvol parent) throws ErrnoException {
    synchronized (store) {
      if (lvol.parent == parent) {
        throw new ErrnoException(Errno.EEXIST);
      }
      if (!parent.snapshot || parent.store() != store || parent.length != lvol.length) {
        throw new ErrnoException(Errno.EINVAL);
      }
      stand(lvol, parent, null);
      lvol.thin = true;
      change(lvol, changed -> store.save());
    }
  }

  /** Lets a volume stand on a device outside of the store. */
  public void setExternal(Lvol lvol, Bdev external) throws ErrnoException {
    synchronized (store) {
      if (external.uuid().equals(lvol.external)) {
        throw new ErrnoException(Errno.EEXIST);
      }
      if (external.size() != lvol.size()) {
        throw new ErrnoException(Errno.EINVAL);
      }
      stand(lvol, null, external.uuid());
      lvol.thin = true;
      change(lvol, changed -> store.save());
    }
  }

  private void stand(Lvol lvol, Lvol parent, UUID external) throws ErrnoException {
    Optional<Bdev> added = device(external);
    if (added.isPresent()) {
      added.get().claimReading();
    }
    device(lvol.external).ifPresent(Bdev::releaseReading);
    lvol.parent = parent;
    lvol.external = external;
  }

  private Optional<Bdev> device(UUID external) {
    return Optional.ofNullable(external).flatMap(id -> store.bdevs().find(id.toString()));
  }

  /** Returns the clusters of a snapshot's own layer, to be copied. */
  static List<Long> ownClusters(Lvol snapshot) {
    synchronized (snapshot.store()) {
      return List.copyOf(snapshot.clusters.entries().keySet());
    }
  }

  /** Reads one of {@link #ownClusters}. */
  static ByteBuffer content(Lvol snapshot, long index) throws IOException {
    return snapshot.store().cluster(snapshot, index);
  }
}
