package dev.holdfast.engine.testkit;

import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineProvider;
import java.nio.file.Path;

/** Two nodes over disks in memory. */
final class SharedMemoryLab implements EngineLab.SharedDisk {
  private final SharedMemory memory = new SharedMemory();
  private final Defect defect;

  SharedMemoryLab(Defect defect) {
    this.defect = defect;
  }

  @Override
  public EngineProvider start() {
    return startOn("node-1");
  }

  @Override
  public EngineProvider startOn(String node) {
    return new SharedMemoryEngine(memory, node, defect);
  }

  @Override
  public void stop(EngineProvider engine) {
    ((SharedMemoryEngine) engine).opened().forEach(SharedMemoryVolume::close);
  }

  @Override
  public void kill(EngineProvider engine) {
    SharedMemoryEngine killed = (SharedMemoryEngine) engine;
    killed.opened().forEach(SharedMemoryVolume::kill);
    memory.free(killed.node());
  }

  @Override
  public DiskLocation disk(Path folder, int number) {
    Path device = folder.resolve("device-" + number);
    memory.add(device);
    return new DiskLocation("node-1", "disk-" + number, DiskKind.DEVICE, device);
  }

  @Override
  public DiskLocation seenFrom(DiskLocation disk, String node) {
    return new DiskLocation(node, disk.diskId() + "-there", disk.kind(), disk.path());
  }

  @Override
  public DiskLocation absent(DiskLocation disk) {
    return new DiskLocation(
        disk.nodeId(), "absent", disk.kind(), disk.path().resolveSibling("absent"));
  }

  @Override
  public void expireLocks(EngineProvider engine) {
    memory.free(((SharedMemoryEngine) engine).node());
  }

  @Override
  public String putForeignContent(DiskLocation disk) {
    synchronized (memory) {
      memory.at(disk.path()).foreign = "an ext4 filesystem";
    }
    return "ext4";
  }

  @Override
  public byte[] content(DiskLocation disk) {
    synchronized (memory) {
      return memory.at(disk.path()).content();
    }
  }
}
