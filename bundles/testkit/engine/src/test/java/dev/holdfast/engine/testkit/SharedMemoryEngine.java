package dev.holdfast.engine.testkit;

import dev.holdfast.engine.DiskEngine;
import dev.holdfast.engine.DiskInfo;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.Fencing;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaTopology;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/** An engine of one node over disks in memory that other nodes see too, with a lock per replica. */
final class SharedMemoryEngine implements DiskEngine {
  private final SharedMemory memory;
  private final String node;
  private final Defect defect;
  private final List<SharedMemoryVolume> opened = new ArrayList<>();

  SharedMemoryEngine(SharedMemory memory, String node, Defect defect) {
    this.memory = memory;
    this.node = node;
    this.defect = defect;
  }

  String node() {
    return node;
  }

  /** The openings of this engine, to be closed or killed. */
  List<SharedMemoryVolume> opened() {
    synchronized (memory) {
      return List.copyOf(opened);
    }
  }

  @Override
  public String name() {
    return "shared-memory";
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return Set.of(EngineCapability.DURABLE);
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

  private SharedMemory.Disk find(DiskLocation at) throws StorageException {
    SharedMemory.Disk disk = memory.at(at.path());
    if (disk == null) {
      throw new StorageException(ErrorCode.NOT_FOUND, at.path() + ": there is no such device");
    }
    if (!disk.foreign.isEmpty() && defect != Defect.PREPARES_OVER_CONTENT) {
      throw new StorageException(
          ErrorCode.INVALID,
          at.path() + " holds " + disk.foreign + ": clear the device if that is not needed");
    }
    return disk;
  }

  private DiskInfo info(SharedMemory.Disk disk) {
    long promised = disk.replicas.values().stream().mapToLong(replica -> replica.size).sum();
    return new DiskInfo(
        disk.identity + (defect == Defect.IDENTITY_OF_THE_NODE ? node : ""),
        SharedMemory.DISK_SIZE,
        Math.max(0, SharedMemory.DISK_SIZE - disk.used()),
        SharedMemory.DISK_SIZE - (defect == Defect.PROMISES_THE_REST ? promised : 0),
        true,
        true);
  }

  @Override
  public Optional<DiskInfo> inspectDisk(DiskLocation at) throws StorageException {
    synchronized (memory) {
      SharedMemory.Disk disk = find(at);
      if (defect == Defect.INSPECTION_WRITES) {
        return Optional.of(prepareDisk(at));
      }
      return disk.identity.isEmpty() ? Optional.empty() : Optional.of(info(disk));
    }
  }

  @Override
  public DiskInfo prepareDisk(DiskLocation at) throws StorageException {
    synchronized (memory) {
      SharedMemory.Disk disk = find(at);
      disk.foreign = "";
      if (disk.identity.isEmpty() || defect == Defect.NEW_IDENTITY) {
        disk.identity = UUID.randomUUID().toString();
      }
      return info(disk);
    }
  }

  @Override
  public void releaseDisk(DiskLocation at) throws StorageException {
    synchronized (memory) {
      for (SharedMemoryVolume volume : opened) {
        boolean there = volume.isOpen() && volume.location().diskPath().equals(at.path());
        if (there && defect != Defect.RELEASES_WHAT_IS_OPEN) {
          throw new StorageException(
              ErrorCode.BUSY, at.path() + ": volume " + volume.location().volume() + " is open");
        }
      }
    }
  }

  @Override
  public void provisionReplica(ReplicaLocation at, long sizeBytes) throws StorageException {
    synchronized (memory) {
      SharedMemory.Stored present =
          find(at.disk())
              .replicas
              .computeIfAbsent(
                  at.directoryName(),
                  name -> new SharedMemory.Stored(at.volume(), at.replica(), sizeBytes));
      if (present.size != sizeBytes || !present.replica.equals(at.replica())) {
        throw new StorageException(
            ErrorCode.INVALID, at.directoryName() + " of " + at.diskPath() + " is another replica");
      }
    }
  }

  @Override
  public void deleteReplica(ReplicaLocation at) throws StorageException {
    synchronized (memory) {
      SharedMemory.Stored present = find(at.disk()).replicas.get(at.directoryName());
      boolean held = present != null && !present.holder.isEmpty();
      if (held && (defect != Defect.DELETES_WHAT_IS_OPEN || present.holder.equals(node))) {
        throw new StorageException(
            ErrorCode.BUSY, at.replica() + " is open on node " + present.holder + ": detach it");
      }
      find(at.disk()).replicas.remove(at.directoryName());
    }
  }

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation at) throws StorageException {
    synchronized (memory) {
      return Optional.ofNullable(find(at.disk()).replicas.get(at.directoryName()))
          .map(found -> new ReplicaInfo(found.size, found.used(), found.clean));
    }
  }

  @Override
  public OpenVolume open(OpenRequest request) throws StorageException {
    if (request.replicas().size() > 1) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED, request.volume() + ": this engine keeps one replica only");
    }
    ReplicaLocation at = request.replicas().get(0);
    synchronized (memory) {
      SharedMemory.Stored replica = find(at.disk()).replicas.get(at.directoryName());
      if (replica == null || replica.size != request.sizeBytes()) {
        throw new StorageException(
            ErrorCode.UNREACHABLE, at.replica() + " of " + request.sizeBytes() + " bytes is gone");
      }
      boolean held = !replica.holder.isEmpty() && !replica.holder.equals(node);
      boolean careless = defect == Defect.OPENS_WITHOUT_LOCK || defect == Defect.TAKES_A_HELD_LOCK;
      if (held && !careless) {
        throw new StorageException(
            ErrorCode.BUSY, at.replica() + ": its lock is held by node " + replica.holder);
      }
      claim(request, at);
      replica.clean = false;
      if (defect != Defect.OPENS_WITHOUT_LOCK) {
        replica.holder = node;
        replica.opening++;
      }
      opened.stream().filter(v -> v.isOf(replica)).forEach(SharedMemoryVolume::supersede);
      SharedMemoryVolume volume =
          new SharedMemoryVolume(memory, at, replica, node, request.listener());
      opened.add(volume);
      return volume;
    }
  }

  private static void claim(OpenRequest request, ReplicaLocation at) throws StorageException {
    Membership before = request.register().read();
    long generation = before.generation() + 1;
    Membership claimed =
        new Membership(
            generation, request.nodeId(), generation, 1, new TreeSet<>(Set.of(at.replica())));
    if (!request.register().compareAndSet(before, claimed)
        || !request.register().read().equals(claimed)) {
      throw new StorageException(ErrorCode.CONFLICT, request.volume() + " is opened elsewhere");
    }
  }
}
