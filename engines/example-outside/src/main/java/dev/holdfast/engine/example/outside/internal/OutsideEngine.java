package dev.holdfast.engine.example.outside.internal;

import dev.holdfast.engine.DiskEngine;
import dev.holdfast.engine.DiskInfo;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.Fencing;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverEngine;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaTopology;
import dev.holdfast.engine.example.outside.internal.daemon.DaemonSettings;
import dev.holdfast.engine.example.outside.internal.daemon.NodeFolder;
import dev.holdfast.engine.example.outside.internal.disk.SharedDirectory;
import dev.holdfast.engine.example.outside.internal.disk.StoredReplica;
import dev.holdfast.engine.export.LastingExportEngine;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.processes.ProcessIdentity;
import dev.holdfast.processes.ProcessSupervisor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Example of an engine whose data path is outside of the container: a {@code qemu-storage-daemon}
 * has each open volume. Replicas are image files in a directory that several nodes may see.
 * Thread-safe.
 */
@Component(service = EngineProvider.class)
public final class OutsideEngine implements LastingExportEngine, HandoverEngine, DiskEngine {
  private static final Logger LOG = LoggerFactory.getLogger(OutsideEngine.class);
  private static final int THREADS = 4;

  private final DaemonSettings settings;
  private final ScheduledExecutorService executor;
  private final Map<NodeFolder, OutsideVolume> open = new ConcurrentHashMap<>();

  /** Starts it with the state directory of the node. */
  @Activate
  public OutsideEngine(BundleContext context) {
    this(DaemonSettings.of(stateDirectory(context).resolve("example-outside")));
  }

  OutsideEngine(DaemonSettings settings) {
    this.settings = settings;
    this.executor = new ScheduledThreadPoolExecutor(THREADS, OutsideEngine::thread);
  }

  private static Path stateDirectory(BundleContext context) {
    return Optional.ofNullable(context.getProperty("holdfast.data"))
        .map(Path::of)
        .orElseThrow(
            () -> new IllegalStateException("the framework property holdfast.data is not set"));
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "example-outside");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public String name() {
    return "example-outside";
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return Set.of(
        EngineCapability.DURABLE,
        EngineCapability.SNAPSHOTS,
        EngineCapability.HANDOVER,
        EngineCapability.NATIVE_EXPORT,
        EngineCapability.LASTING_EXPORT);
  }

  @Override
  public Set<DiskKind> diskKinds() {
    return Set.of(DiskKind.DIRECTORY);
  }

  @Override
  public ReplicaTopology topology() {
    return ReplicaTopology.SHARED_DISK;
  }

  @Override
  public Fencing fencing() {
    return Fencing.DISK_LOCK;
  }

  @Override
  public Optional<DiskInfo> inspectDisk(DiskLocation disk) throws StorageException {
    return new SharedDirectory(disk).inspect();
  }

  @Override
  public DiskInfo prepareDisk(DiskLocation disk) throws StorageException {
    return new SharedDirectory(disk).prepare();
  }

  @Override
  public void releaseDisk(DiskLocation disk) throws StorageException {
    for (OutsideVolume volume : open.values()) {
      if (volume.isOn(disk.path())) {
        throw new StorageException(
            ErrorCode.BUSY,
            "disk " + disk.path() + ": volume " + volume.name() + " is open: detach it first");
      }
    }
  }

  /** The platform prepares no directory, so the first replica does. */
  @Override
  public void provisionReplica(ReplicaLocation replica, long sizeBytes) throws StorageException {
    try {
      new SharedDirectory(replica.disk()).prepare();
    } catch (StorageException e) {
      throw new StorageException(e.code(), "volume " + replica.volume() + ": " + e.getMessage(), e);
    }
    new StoredReplica(replica).provision(sizeBytes);
  }

  @Override
  public void deleteReplica(ReplicaLocation replica) throws StorageException {
    new StoredReplica(replica).delete();
    NodeFolder place = NodeFolder.of(settings.folder(), replica);
    if (place.exists()) {
      withdrawLeft(replica);
      place.delete();
    }
  }

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) throws StorageException {
    return new StoredReplica(replica).inspect();
  }

  /** An attempt to open a volume. */
  @FunctionalInterface
  private interface Attempt {
    OutsideVolume run(VolumeOpening opening) throws StorageException;
  }

  private OpenVolume opened(OpenRequest request, Attempt attempt) throws StorageException {
    VolumeOpening opening = new VolumeOpening(settings, executor, request);
    OutsideVolume volume = attempt.run(opening);
    open.put(opening.place(), volume);
    return volume;
  }

  @Override
  public OpenVolume open(OpenRequest request) throws StorageException {
    return opened(request, opening -> opening.open(open::remove));
  }

  @Override
  public OpenVolume resume(OpenRequest request, Handover handover) throws StorageException {
    return opened(request, opening -> opening.resume(handover, open::remove));
  }

  @Override
  public OpenVolume adopt(OpenRequest request) throws StorageException {
    return opened(request, opening -> opening.adopt(open::remove));
  }

  @Override
  public OptionalLong leftServing(ReplicaLocation replica) throws StorageException {
    NodeFolder place = NodeFolder.of(settings.folder(), replica);
    if (open.containsKey(place)) {
      return OptionalLong.empty();
    }
    return ServingRecord.read(place.serving())
        .filter(ServingRecord::isAlive)
        .map(left -> OptionalLong.of(left.generation()))
        .orElse(OptionalLong.empty());
  }

  @Override
  public void withdrawLeft(ReplicaLocation replica) throws StorageException {
    NodeFolder place = NodeFolder.of(settings.folder(), replica);
    try (ProcessSupervisor supervisor =
        VolumeOpening.supervisor(place, replica.replica(), executor)) {
      VolumeDaemons.withdraw(place, supervisor);
    }
  }

  /** Closes volumes that are still open; those with exports continue to serve. */
  @Deactivate
  void deactivate() {
    for (OutsideVolume volume : new ArrayList<>(open.values())) {
      try {
        volume.stop();
      } catch (StorageException e) {
        LOG.warn("volume {}: could not close it: {}", volume.name(), e.getMessage());
      }
    }
    executor.shutdownNow();
  }

  /** Returns the processes that have the locks of open volumes. */
  List<ProcessIdentity> imageProcesses() {
    return open.values().stream().flatMap(volume -> volume.imageProcess().stream()).toList();
  }

  /** Ends as the end of the program does: processes stay, and nothing is written. */
  void abandon() throws StorageException {
    for (OutsideVolume volume : open.values()) {
      volume.abandon();
    }
    open.clear();
    executor.shutdownNow();
  }
}
