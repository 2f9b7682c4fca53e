package dev.holdfast.csi.internal.node;

import dev.holdfast.csi.internal.server.CsiStatus;
import dev.holdfast.csi.internal.server.RequestedAccess;
import dev.holdfast.csi.v1.Csi.VolumeCapability.AccessMode.Mode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.LuksKey;
import dev.holdfast.resource.volume.Volume;
import io.grpc.StatusException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Publishes a staged volume at a workload's target path by a bind mount of the filesystem or the
 * device. Thread-safe for different volumes.
 */
final class NodePublishing {
  private final NodeStaging staging;
  private final StagedVolumes staged;
  private final BindMounts binds;
  private final BlockDeviceSettings devices;
  private final ShareStaging shares;

  NodePublishing(Host host, NodeStaging staging, StagedVolumes staged, ShareStaging shares) {
    this.shares = shares;
    this.staging = staging;
    this.staged = staged;
    this.binds = new BindMounts(host);
    this.devices = new BlockDeviceSettings(host);
  }

  /**
   * Publishes a volume at a path. Restores missing parts of the staging, as after a reboot.
   *
   * @param key of an encrypted volume, if the call contains it
   */
  void publish(
      Volume volume,
      Path stagingPath,
      Path path,
      RequestedAccess access,
      boolean readOnly,
      Optional<LuksKey> key)
      throws StorageException, StatusException {
    StagedVolume record =
        staged
            .find(volume.name())
            .filter(found -> found.stagingPath().equals(stagingPath.toString()))
            .orElseThrow(
                () ->
                    CsiStatus.failedPrecondition(
                        "volume " + volume.name() + " is not staged at " + stagingPath));
    if (record.block() != access.block()) {
      throw CsiStatus.invalid(
          "volume_capability.access_type",
          "volume " + volume.name() + " is staged as " + (record.block() ? "block" : "mount"));
    }
    StagedVolume.Target target =
        new StagedVolume.Target(path.toString(), readOnly || access.readsOnly());
    requireAllowed(record, target, access);
    StagedVolume planned = staged.write(record.plus(target));
    try {
      StagedVolume ready = staging.ensure(volume, planned, key);
      show(ready, target);
    } catch (StorageException | StatusException e) {
      forget(volume.name(), record, target);
      throw e;
    }
  }

  /**
   * Removes the record of a target that was never published, so that it does not block another
   * path.
   */
  private void forget(String volume, StagedVolume before, StagedVolume.Target target)
      throws StorageException {
    Optional<StagedVolume> now = staged.find(volume);
    boolean isNew = before.target(target.path()).isEmpty();
    if (now.isPresent() && isNew && !staging.isShown(now.get(), Path.of(target.path()))) {
      staged.write(now.get().minus(target.path()));
    }
  }

  private static void requireAllowed(
      StagedVolume record, StagedVolume.Target target, RequestedAccess access)
      throws StatusException {
    Optional<StagedVolume.Target> same = record.target(target.path());
    if (same.isPresent() && same.get().readOnly() != target.readOnly()) {
      throw CsiStatus.alreadyExists(
          "volume "
              + record.volume()
              + " is published at "
              + target.path()
              + (same.get().readOnly() ? " read-only" : " for writing"));
    }
    for (StagedVolume.Target other : record.targets()) {
      boolean another = !other.path().equals(target.path());
      if (another && access.mode() == Mode.SINGLE_NODE_SINGLE_WRITER) {
        throw CsiStatus.failedPrecondition(
            "volume "
                + record.volume()
                + " is published at "
                + other.path()
                + ", and SINGLE_NODE_SINGLE_WRITER allows one path");
      }
      if (another && record.block() && other.readOnly() != target.readOnly()) {
        throw CsiStatus.failedPrecondition(
            "volume "
                + record.volume()
                + " is published at "
                + other.path()
                + (other.readOnly() ? " read-only" : " for writing")
                + ", and a device is either");
      }
    }
  }

  private void show(StagedVolume ready, StagedVolume.Target target) throws StorageException {
    Path path = Path.of(target.path());
    if (ready.isShare()) {
      shares.bind(ready, path, target.readOnly());
    } else if (ready.block()) {
      devices.readOnly(ready.device(), target.readOnly());
      binds.bindDevice(ready.device(), path);
    } else {
      binds.bindDirectory(ready.device(), Path.of(ready.stagingPath()), path, target.readOnly());
    }
  }

  /** Unpublishes a volume at a path and removes the path; succeeds if it is absent. */
  void unpublish(String volume, Path path) throws StorageException, StatusException {
    Optional<StagedVolume> record = staged.find(volume);
    boolean ours = record.flatMap(found -> found.target(path.toString())).isPresent();
    if (!ours && binds.isMounted(path)) {
      throw CsiStatus.failedPrecondition(
          path + " is mounted, but not with volume " + volume + ": it is left as it is");
    }
    if (ours) {
      if (record.get().isShare()) {
        shares.unbind(path);
      }
      binds.unbind(path);
      staged.write(record.get().minus(path.toString()));
    } else {
      binds.remove(path);
    }
  }
}
