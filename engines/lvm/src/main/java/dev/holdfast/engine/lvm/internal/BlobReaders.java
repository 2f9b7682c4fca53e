package dev.holdfast.engine.lvm.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.engine.lvm.blobs.AttachedBlob;
import dev.holdfast.engine.lvm.internal.device.AlignedDevice;
import dev.holdfast.engine.lvm.internal.device.RawDevice;
import dev.holdfast.engine.lvm.internal.device.RawDevice.Access;
import dev.holdfast.engine.lvm.internal.replica.StoredSnapshot;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Snapshots that are being read, by how many. A snapshot is attached while it has a reader. The
 * monitor of the volume guards it.
 */
final class BlobReaders {
  private static final Logger LOG = LoggerFactory.getLogger(BlobReaders.class);
  private static final String COOKIE = "reader";

  private final OpenReplica replica;
  private final Object volume;
  private final Runnable ended;
  private final Map<String, Integer> counts = new HashMap<>();
  private final List<BlockDevice> devices = new ArrayList<>();

  /**
   * Creates an empty set.
   *
   * @param volume whose monitor guards this
   * @param ended called with the monitor when a snapshot has no reader any more
   */
  BlobReaders(OpenReplica replica, Object volume, Runnable ended) {
    this.replica = replica;
    this.volume = volume;
    this.ended = ended;
  }

  boolean isRead(StoredSnapshot snapshot) {
    return counts.containsKey(snapshot.blob());
  }

  /** Opens the bytes of a snapshot; {@link #leave} has to follow when they are closed. */
  RawDevice enter(StoredSnapshot snapshot) throws StorageException {
    AttachedBlob attached = replica.blobs().attach(replica.place().blob(snapshot.blob()), COOKIE);
    counts.merge(snapshot.blob(), 1, Integer::sum);
    try {
      return replica.open(attached.device(), Access.READ);
    } catch (StorageException | RuntimeException e) {
      leave(snapshot);
      throw e;
    }
  }

  /** Ends one use of a snapshot. */
  void leave(StoredSnapshot snapshot) {
    synchronized (volume) {
      if (counts.merge(snapshot.blob(), -1, Integer::sum) > 0) {
        return;
      }
      counts.remove(snapshot.blob());
      try {
        replica.blobs().detach(replica.place().blob(snapshot.blob()), COOKIE);
      } catch (StorageException e) {
        LOG.warn(
            "volume {}: snapshot {} stays attached until the next opening: {}",
            replica.volume(),
            snapshot.name(),
            e.getMessage());
        return;
      }
      ended.run();
    }
  }

  /** Opens a snapshot as a device. */
  BlockDevice open(StoredSnapshot snapshot, long sizeBytes) throws StorageException {
    RawDevice raw = enter(snapshot);
    String name = "volume " + replica.volume() + ": snapshot " + snapshot.name();
    BlockDevice device =
        new Reader(
            new AlignedDevice(name, raw, sizeBytes, false, replica.context().buffers()), snapshot);
    devices.add(device);
    return device;
  }

  /** Closes all devices. */
  void close() {
    new ArrayList<>(devices).forEach(BlockDevice::close);
  }

  /** A device that ends its use of the snapshot when it is closed. */
  private final class Reader extends ForwardingBlockDevice {
    private final StoredSnapshot snapshot;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Reader(BlockDevice device, StoredSnapshot snapshot) {
      super(device);
      this.snapshot = snapshot;
    }

    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        super.close();
        synchronized (volume) {
          devices.remove(this);
          leave(snapshot);
        }
      }
    }
  }
}
