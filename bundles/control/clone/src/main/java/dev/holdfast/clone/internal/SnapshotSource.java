package dev.holdfast.clone.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.datapath.AttachedVolume;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.datapath.RegionCopy;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Source of a snapshot of a volume that is open on this node. Each read is one step on the attached
 * volume, so that the volume can be closed, or handed over to another engine, in between. Used by
 * one thread.
 */
final class SnapshotSource implements RegionCopy.CopySource {
  private final AttachedVolumes paths;
  private final String engine;
  private final String snapshot;
  // A snapshot never changes.
  private Optional<SnapshotData> data = Optional.empty();

  SnapshotSource(AttachedVolumes paths, String engine, String snapshot) {
    this.paths = paths;
    this.engine = engine;
    this.snapshot = snapshot;
  }

  @Override
  public List<RegionCopy.Range> allocated(RegionCopy.Range within) throws StorageException {
    if (data.isEmpty()) {
      data = Optional.of(RegionCopy.join(source().operate((volume, status) -> map(volume))));
    }
    return data.get().within(within);
  }

  private AttachedVolume source() throws StorageException {
    return paths
        .get(engine)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.UNREACHABLE, "engine " + engine + " is not open on this node"));
  }

  private SnapshotData map(OpenVolume volume) throws StorageException {
    SnapshotData found = new SnapshotData();
    able(volume)
        .changes(
            "",
            snapshot,
            (offset, length, kind) -> {
              if (kind == ExtentKind.DATA) {
                found.add(offset, length);
              }
              return true;
            });
    return found;
  }

  private SnapshotVolume able(OpenVolume volume) throws StorageException {
    if (volume instanceof SnapshotVolume snapshots) {
      return snapshots;
    }
    throw new StorageException(
        ErrorCode.UNSUPPORTED,
        "the engine of "
            + engine
            + " does not support snapshots, so its "
            + "volumes cannot be copied");
  }

  @Override
  public void read(long offset, ByteBuffer target) throws StorageException {
    var unused =
        RegionCopy.join(
            source()
                .operate(
                    (volume, status) -> {
                      try (BlockDevice device = able(volume).openSnapshot(snapshot)) {
                        RegionCopy.await(completion -> device.read(offset, target, completion));
                      }
                      return offset;
                    }));
  }
}
