package dev.holdfast.datapath;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Reads a snapshot of a volume that is open on this node, as long as the volume is open. A read
 * waits while the engine is replaced. Thread-safe.
 */
public final class SnapshotReader implements AutoCloseable {
  private final AttachedVolume volume;
  private final SnapshotInfo info;
  private final BlockDevice device;

  private SnapshotReader(AttachedVolume volume, SnapshotInfo info, BlockDevice device) {
    this.volume = volume;
    this.info = info;
    this.device = device;
  }

  /**
   * Opens a snapshot for reading.
   *
   * @param volume that is open on this node, not null
   * @param snapshot its name in the volume, not null
   * @return the reader, which the caller closes, never null
   * @throws StorageException UNREACHABLE when the volume is not open here; NOT_FOUND when the
   *     snapshot is absent; UNSUPPORTED when its engine has no snapshots
   */
  public static SnapshotReader open(AttachedVolume volume, String snapshot)
      throws StorageException {
    return RegionCopy.join(
        volume.operate(
            (opened, status) -> {
              SnapshotVolume able = able(opened);
              SnapshotInfo info =
                  find(able.snapshots(), snapshot)
                      .filter(found -> !found.removed())
                      .orElseThrow(
                          () ->
                              new StorageException(
                                  ErrorCode.NOT_FOUND, "snapshot " + snapshot + " is gone"));
              BlockDevice device = volume.snapshotExports().readers().open(able, snapshot);
              return new SnapshotReader(volume, info, device);
            }));
  }

  private static SnapshotVolume able(OpenVolume opened) throws StorageException {
    if (opened instanceof SnapshotVolume able) {
      return able;
    }
    throw new StorageException(
        ErrorCode.UNSUPPORTED, "the volume's engine does not support snapshots");
  }

  private static Optional<SnapshotInfo> find(List<SnapshotInfo> all, String name) {
    return all.stream().filter(info -> info.name().equals(name)).findFirst();
  }

  /** Returns the snapshot's state when this reader was opened, never null. */
  public SnapshotInfo info() {
    return info;
  }

  /** Returns the size of the snapshot in bytes. */
  public long sizeBytes() {
    return device.size();
  }

  /**
   * Returns an ancestor of this snapshot that the engine has; empty when none has this name, or it
   * is marked as removed.
   *
   * @param name in the volume, not null
   * @throws StorageException UNREACHABLE when the volume was closed; IO
   */
  public Optional<SnapshotInfo> ancestor(String name) throws StorageException {
    List<SnapshotInfo> all =
        RegionCopy.join(volume.operate((opened, status) -> able(opened).snapshots()));
    Optional<SnapshotInfo> below = find(all, info.name());
    // A chain is at most as long as the list; an engine may report a cycle.
    for (int i = 0; i < all.size() && below.isPresent(); i++) {
      below = find(all, below.get().parent());
      if (below.filter(found -> found.name().equals(name)).isPresent()) {
        return below.filter(found -> !found.removed());
      }
    }
    return Optional.empty();
  }

  /**
   * Reports where this snapshot may differ from an older one; see {@link SnapshotVolume#changes}.
   *
   * @param older its name, empty to compare with zeroes, not null
   * @param visitor receives the extents, not null
   * @throws StorageException UNREACHABLE when the volume was closed; NOT_FOUND; INVALID; IO
   */
  public void changes(String older, ExtentVisitor visitor) throws StorageException {
    var unused =
        RegionCopy.join(
            volume.operate(
                (opened, status) -> {
                  able(opened).changes(older, info.name(), visitor);
                  return older;
                }));
  }

  /**
   * Reads bytes.
   *
   * @param offset of the first one
   * @param target is filled from its position to its limit, not null
   * @throws StorageException when the volume was closed, or the snapshot cannot be read
   */
  public void read(long offset, ByteBuffer target) throws StorageException {
    RegionCopy.await(completion -> device.read(offset, target, completion));
  }

  /** Closes the reader. Idempotent. */
  @Override
  public void close() {
    // If the volume was closed before, its readers were closed with it.
    var unused =
        volume.operate(
            (opened, status) -> {
              volume.snapshotExports().readers().close(device);
              return status;
            });
  }
}
