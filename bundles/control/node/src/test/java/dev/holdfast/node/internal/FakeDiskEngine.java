package dev.holdfast.node.internal;

import dev.holdfast.engine.DiskEngine;
import dev.holdfast.engine.DiskInfo;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineOption;
import dev.holdfast.engine.Fencing;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaRequest;
import dev.holdfast.engine.ReplicaTopology;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** An engine that keeps replicas on devices which several nodes may share. */
final class FakeDiskEngine implements DiskEngine {
  static final long SIZE = 10L << 30;
  static final String BLANK = "";

  private final String name;
  private final Pool pool;

  /** Devices by path, with their identities or content, and the replicas. */
  static final class Pool {
    final Map<String, String> devices = new ConcurrentHashMap<>();
    final Map<String, ReplicaRequest> replicas = new ConcurrentHashMap<>();
    final Set<String> busy = ConcurrentHashMap.newKeySet();
  }

  FakeDiskEngine(String name, Pool pool) {
    this.name = name;
    this.pool = pool;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return Set.of(EngineCapability.DURABLE);
  }

  @Override
  public Set<EngineOption> options() {
    return Set.of(new EngineOption("mode", Set.of("thin", "linear"), "thin", false));
  }

  @Override
  public Set<DiskKind> diskKinds() {
    return Set.of(DiskKind.DEVICE);
  }

  @Override
  public ReplicaTopology topology() {
    return ReplicaTopology.SHARED_DISK;
  }

  @Override
  public Fencing fencing() {
    return Fencing.DISK_LOCK;
  }

  private String at(DiskLocation disk) throws StorageException {
    String held = pool.devices.get(disk.path().toString());
    if (held == null) {
      throw new StorageException(ErrorCode.NOT_FOUND, disk.path() + ": there is no such device");
    }
    if (!held.equals(BLANK) && !held.startsWith(name + ":")) {
      throw new StorageException(ErrorCode.INVALID, disk.path() + " holds " + held);
    }
    return held;
  }

  private static DiskInfo info(String identity) {
    return new DiskInfo(identity, SIZE, SIZE, SIZE, true, false);
  }

  @Override
  public Optional<DiskInfo> inspectDisk(DiskLocation disk) throws StorageException {
    String held = at(disk);
    return held.equals(BLANK) ? Optional.empty() : Optional.of(info(held));
  }

  @Override
  public DiskInfo prepareDisk(DiskLocation disk) throws StorageException {
    String held = at(disk);
    String identity = held.equals(BLANK) ? name + ":" + disk.path() : held;
    pool.devices.put(disk.path().toString(), identity);
    return info(identity);
  }

  @Override
  public void releaseDisk(DiskLocation disk) throws StorageException {
    if (pool.busy.contains(disk.path().toString())) {
      throw new StorageException(ErrorCode.BUSY, disk.path() + ": a volume is open");
    }
  }

  @Override
  public void provisionReplica(ReplicaRequest request) {
    pool.replicas.putIfAbsent(request.location().directoryName(), request);
  }

  @Override
  public void provisionReplica(ReplicaLocation replica, long sizeBytes) {
    throw new IllegalStateException("the platform makes replicas by one request");
  }

  @Override
  public void deleteReplica(ReplicaLocation replica) {
    pool.replicas.remove(replica.directoryName());
  }

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) {
    return Optional.ofNullable(pool.replicas.get(replica.directoryName()))
        .map(request -> new ReplicaInfo(request.sizeBytes(), 0, true));
  }

  @Override
  public OpenVolume open(OpenRequest request) throws StorageException {
    throw new StorageException(ErrorCode.UNSUPPORTED, "nothing is opened here");
  }
}
