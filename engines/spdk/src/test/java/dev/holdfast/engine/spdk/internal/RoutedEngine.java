package dev.holdfast.engine.spdk.internal;

import dev.holdfast.engine.DiskEngine;
import dev.holdfast.engine.DiskInfo;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.Fencing;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverEngine;
import dev.holdfast.engine.LinkedCloneEngine;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaTopology;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.error.StorageException;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Combines the engines of two nodes. Disks and replicas are at the second node, and volumes are
 * opened at the first one. The platform routes its calls to nodes in the same way. This class does
 * not list exports that were left serving, because the platform asks only nodes with a replica for
 * them.
 */
final class RoutedEngine implements DiskEngine, LinkedCloneEngine, HandoverEngine {
  private final SpdkEngine volumes;
  private final SpdkEngine replicas;

  RoutedEngine(SpdkEngine volumes, SpdkEngine replicas) {
    this.volumes = volumes;
    this.replicas = replicas;
  }

  SpdkEngine volumes() {
    return volumes;
  }

  @Override
  public String name() {
    return volumes.name();
  }

  @Override
  public Set<EngineCapability> capabilities() {
    EnumSet<EngineCapability> all = EnumSet.copyOf(volumes.capabilities());
    all.remove(EngineCapability.LASTING_EXPORT);
    return all;
  }

  @Override
  public Set<String> nativeProtocols() {
    return volumes.nativeProtocols();
  }

  @Override
  public Set<DiskKind> diskKinds() {
    return replicas.diskKinds();
  }

  @Override
  public ReplicaTopology topology() {
    return replicas.topology();
  }

  @Override
  public Fencing fencing() {
    return replicas.fencing();
  }

  @Override
  public Optional<DiskInfo> inspectDisk(DiskLocation disk) throws StorageException {
    return replicas.inspectDisk(disk);
  }

  @Override
  public DiskInfo prepareDisk(DiskLocation disk) throws StorageException {
    return replicas.prepareDisk(disk);
  }

  @Override
  public void releaseDisk(DiskLocation disk) throws StorageException {
    replicas.releaseDisk(disk);
  }

  @Override
  public void provisionReplica(ReplicaLocation replica, long sizeBytes) throws StorageException {
    replicas.provisionReplica(replica, sizeBytes);
  }

  @Override
  public void cloneReplica(ReplicaLocation replica, long sizeBytes, SnapshotContent content)
      throws StorageException {
    replicas.cloneReplica(replica, sizeBytes, content);
  }

  @Override
  public void deleteReplica(ReplicaLocation replica) throws StorageException {
    replicas.deleteReplica(replica);
  }

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) throws StorageException {
    return replicas.inspectReplica(replica);
  }

  @Override
  public OpenVolume open(OpenRequest request) throws StorageException {
    return volumes.open(request);
  }

  @Override
  public OpenVolume resume(OpenRequest request, Handover handover) throws StorageException {
    return volumes.resume(request, handover);
  }
}
