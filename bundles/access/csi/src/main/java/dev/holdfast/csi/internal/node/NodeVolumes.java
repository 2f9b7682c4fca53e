package dev.holdfast.csi.internal.node;

import dev.holdfast.csi.internal.controller.VolumeListing;
import dev.holdfast.csi.internal.server.CsiStatus;
import dev.holdfast.csi.internal.server.Topology;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFilesystems;
import dev.holdfast.host.HostInitiators;
import dev.holdfast.initiator.InitiatorConnection;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;
import io.grpc.StatusException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Measures and expands the volumes on this host. Thread-safe. */
final class NodeVolumes {
  private final ResourceStore store;
  private final String node;
  private final HostInitiators initiators;
  private final StagedVolumes staged;
  private final UsageMeter usage;
  private final BindMounts binds;
  private final HostFilesystems filesystems;
  private final BlockDeviceSettings devices;
  private final EncryptedDevices encrypted;
  private final ShareStaging shares;

  NodeVolumes(
      Host host,
      ResourceStore store,
      String node,
      HostInitiators initiators,
      StagedVolumes staged,
      ShareStaging shares,
      UsageMeter usage) {
    this.shares = shares;
    this.store = store;
    this.node = node;
    this.initiators = initiators;
    this.staged = staged;
    this.usage = usage;
    this.binds = new BindMounts(host);
    this.filesystems = new HostFilesystems(host);
    this.devices = new BlockDeviceSettings(host);
    this.encrypted = new EncryptedDevices(host);
  }

  /** Returns the record of a volume at a path on this host. */
  private StagedVolume at(Volume volume, String path) throws StorageException, StatusException {
    Optional<StagedVolume> record = staged.find(volume.name());
    boolean there =
        record.isPresent()
            && (record.get().target(path).isPresent() || record.get().stagingPath().equals(path))
            && (record.get().block() || isShown(record.get(), Path.of(path)));
    if (!there) {
      throw CsiStatus.notFound("volume " + volume.name() + " is not at " + path);
    }
    return record.get();
  }

  private boolean isShown(StagedVolume record, Path path) throws StorageException {
    return record.isShare() ? shares.shows(path) : binds.shows(record.device(), false, path);
  }

  Csi.NodeGetVolumeStatsResponse stats(Volume volume, String path)
      throws StorageException, StatusException {
    StagedVolume record = at(volume, path);
    if (record.isShare()) {
      shares.requireServed(record, Path.of(path));
    }
    try {
      return usage.measure(record, path);
    } finally {
      // Numbers and failures are meaningless if the volume was unmounted during the call.
      StagedVolume unused = at(volume, path);
    }
  }

  /** Grows the device to the size of the volume, and the filesystem to the size of the device. */
  Csi.NodeExpandVolumeResponse expand(Volume volume, String path, Csi.CapacityRange range)
      throws StorageException, StatusException {
    StagedVolume record = at(volume, path);
    long size = volume.status().currentSize().bytes();
    if (size < range.getRequiredBytes()) {
      throw CsiStatus.outOfRange(
          "capacity_range.required_bytes: is "
              + range.getRequiredBytes()
              + ", volume "
              + volume.name()
              + " has "
              + size
              + " bytes");
    }
    if (record.isShare()) {
      // The node that exports the share grows the filesystem.
      return Csi.NodeExpandVolumeResponse.newBuilder().setCapacityBytes(size).build();
    }
    if (sizeOfDevice(record) < size) {
      initiators.grow(volume.name(), size);
    }
    if (record.encrypted()) {
      encrypted.grow(volume.name());
    }
    if (!record.block()) {
      filesystems.grow(record.device(), record.filesystem(), Path.of(record.stagingPath()));
    }
    return Csi.NodeExpandVolumeResponse.newBuilder().setCapacityBytes(size).build();
  }

  // The decrypted device is smaller than the volume by the header below it.
  private long sizeOfDevice(StagedVolume record) throws StorageException {
    return devices.size(
        record.encrypted()
            ? initiators
                .find(record.volume())
                .orElseThrow(
                    () ->
                        new StorageException(
                            ErrorCode.IO, "the device of volume " + record.volume() + " is gone"))
                .device()
            : record.device());
  }

  /** Returns the health problems of a volume on this host. */
  Csi.NodeGetVolumeHealthResponse health(Volume volume) throws StorageException, StatusException {
    Optional<StagedVolume> record = staged.find(volume.name());
    if (record.isEmpty()) {
      throw CsiStatus.notFound("volume " + volume.name() + " is not staged on node " + node);
    }
    Csi.VolumeHealth.Builder health = VolumeListing.health(volume).toBuilder();
    if (record.get().isShare()) {
      shareHealth(record.get(), health);
    } else if (initiators.find(volume.name()).filter(InitiatorConnection::alive).isEmpty()) {
      health.addHealthStatuses(
          VolumeListing.entry(
              Csi.VolumeHealthErrorType.INACCESSIBLE,
              "Disconnected",
              "the device of this host is gone"));
    } else if (isForcedReadOnly(record.get())) {
      health.addHealthStatuses(
          VolumeListing.entry(
              Csi.VolumeHealthErrorType.INACCESSIBLE,
              "ReadOnly",
              "the filesystem met an error and takes no writes: unpublish and publish it again"));
    }
    return Csi.NodeGetVolumeHealthResponse.newBuilder().setVolumeHealth(health).build();
  }

  private void shareHealth(StagedVolume record, Csi.VolumeHealth.Builder health)
      throws StorageException {
    String problem =
        switch (shares.answer(record)) {
          case SERVED -> "";
          case STALE -> "its server reports it as stale: unpublish and publish it again";
          case SILENT -> "its server does not answer";
        };
    if (!problem.isEmpty()) {
      health.addHealthStatuses(
          VolumeListing.entry(
              Csi.VolumeHealthErrorType.INACCESSIBLE,
              "ShareUnavailable",
              "share " + record.device() + ": " + problem));
    }
  }

  private static boolean isForcedReadOnly(StagedVolume record) throws StorageException {
    if (record.block() || record.access().readsOnly() || record.flags().contains("ro")) {
      return false;
    }
    try {
      return Files.getFileStore(Path.of(record.stagingPath())).isReadOnly();
    } catch (IOException e) {
      throw StorageException.io(record.stagingPath(), e);
    }
  }

  /** Returns the health problems of this node's disks. */
  Csi.NodeGetStorageHealthResponse storageHealth() throws StorageException {
    var answer = Csi.NodeGetStorageHealthResponse.newBuilder();
    store
        .get(Node.KIND, node)
        .ifPresent(
            found ->
                found
                    .status()
                    .diskStatus()
                    .forEach(
                        (id, disk) -> {
                          Optional<Condition> ready =
                              Condition.find(disk.conditions(), Condition.READY);
                          if (ready.filter(c -> c.status() == Condition.Status.FALSE).isPresent()) {
                            answer.addBackendHealth(
                                Csi.NodeGetStorageHealthResponse.StorageBackendHealth.newBuilder()
                                    .setStatus(Csi.StorageHealthErrorType.STORAGE_DEGRADED)
                                    .setReason(ready.get().reason())
                                    .setMessage("disk " + id + ": " + ready.get().message()));
                          }
                        }));
    return answer.build();
  }

  Csi.NodeGetInfoResponse info(long mostVolumes) throws StorageException, StatusException {
    Node found =
        store
            .get(Node.KIND, node)
            .orElseThrow(() -> CsiStatus.unavailable("node " + node + " is not registered yet"));
    return Csi.NodeGetInfoResponse.newBuilder()
        .setNodeId(node)
        .setMaxVolumesPerNode(mostVolumes)
        .setAccessibleTopology(Topology.of(found))
        .build();
  }
}
