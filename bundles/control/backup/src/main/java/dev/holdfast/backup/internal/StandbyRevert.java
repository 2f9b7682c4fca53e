package dev.holdfast.backup.internal;

import dev.holdfast.datapath.AttachedVolume;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.datapath.CopyRecord;
import dev.holdfast.datapath.CopyingDevice;
import dev.holdfast.datapath.RegionCopy;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Volume;
import java.util.BitSet;

/**
 * Reverts a standby volume to its last snapshot, which discards the content copied since. A revert
 * that was executed but not recorded is repeated.
 */
final class StandbyRevert {
  private final AttachedVolumes volumes;
  private final Volume volume;

  private StandbyRevert(AttachedVolumes volumes, Volume volume) {
    this.volumes = volumes;
    this.volume = volume;
  }

  /**
   * Reverts a volume that is open on this node and into which no copy runs.
   *
   * @param engine of the volume
   * @param device that refuses no request after the revert
   * @return the volume as the store has it
   * @throws StorageException NOT_FOUND without the snapshot; UNREACHABLE if the volume was closed;
   *     a failure of the engine or the store
   */
  static Volume run(AttachedVolumes volumes, Volume volume, String engine, CopyingDevice device)
      throws StorageException {
    Volume current = new CopyRecord(volumes::store, volume).current();
    StandbyRevert revert = new StandbyRevert(volumes, current);
    String snapshot = revert.snapshot();
    RegionCopy.join(
        revert.attached(engine).operate((opened, status) -> revert.to(snapshot, opened)));
    BitSet all = new BitSet();
    all.set(0, device.plan().regions());
    device.recorded(all);
    return current;
  }

  private String snapshot() throws StorageException {
    String name = volume.status().standby().snapshot();
    return volumes
        .store()
        .get(Snapshot.KIND, name)
        .map(Snapshot::nameInVolume)
        .orElseThrow(() -> failure(ErrorCode.NOT_FOUND, "snapshot " + name + " is gone"));
  }

  private AttachedVolume attached(String engine) throws StorageException {
    return volumes
        .get(engine)
        .orElseThrow(() -> failure(ErrorCode.UNREACHABLE, "was closed before it was reverted"));
  }

  private String to(String snapshot, OpenVolume opened) throws StorageException {
    if (!(opened instanceof SnapshotVolume able)) {
      throw failure(ErrorCode.UNSUPPORTED, "its engine does not support snapshots");
    }
    able.revert(snapshot);
    return snapshot;
  }

  private StorageException failure(ErrorCode code, String why) {
    return new StorageException(code, "volume " + volume.name() + ": " + why);
  }
}
