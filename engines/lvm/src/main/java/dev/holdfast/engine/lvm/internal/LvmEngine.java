package dev.holdfast.engine.lvm.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.Admission;
import dev.holdfast.engine.BaseContent;
import dev.holdfast.engine.DiskEngine;
import dev.holdfast.engine.DiskInfo;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineOption;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.EngineRecords;
import dev.holdfast.engine.Fencing;
import dev.holdfast.engine.ForwardRequest;
import dev.holdfast.engine.ForwardedVolume;
import dev.holdfast.engine.ForwardingEngine;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverEngine;
import dev.holdfast.engine.LinkedCloneEngine;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaRequest;
import dev.holdfast.engine.ReplicaTopology;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.engine.export.LastingExportEngine;
import dev.holdfast.engine.lvm.blobs.BlobOptions;
import dev.holdfast.engine.lvm.blobs.GroupInfo;
import dev.holdfast.engine.lvm.blobs.GroupReports;
import dev.holdfast.engine.lvm.blobs.SharedBlobManager;
import dev.holdfast.engine.lvm.internal.device.DirectFile;
import dev.holdfast.engine.lvm.internal.forward.AdmittedNodes;
import dev.holdfast.engine.lvm.internal.forward.ForwardedLvmVolume;
import dev.holdfast.engine.lvm.internal.forward.RemoteVolumeDevice;
import dev.holdfast.engine.lvm.internal.replica.OpeningState;
import dev.holdfast.engine.lvm.internal.replica.ReplicaPlace;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps volumes in volume groups of LVM. Thread-safe. */
@Component(service = {EngineProvider.class, LvmEngine.class})
public final class LvmEngine
    implements DiskEngine,
        LinkedCloneEngine,
        HandoverEngine,
        LastingExportEngine,
        ForwardingEngine {
  private static final Logger LOG = LoggerFactory.getLogger(LvmEngine.class);
  private static final Duration LOOKS = Duration.ofSeconds(2);

  /** The looks do not begin at the same time, so a report lasts for two of them. */
  private static final Duration SHARED = LOOKS.multipliedBy(2);

  private static final int JOINS = 4;
  private static final String MODE = "mode";
  private static final String LINEAR = "linear";
  private static final String WIPE = "wipe";
  private static final String UNSAFE = "unsafe-fast";

  private final LvmContext context;
  private final Replicas replicas;
  private final SpaceWatch space;
  private final WaitWatch waits;
  private final List<GroupWatch> watches;
  private final AdmittedNodes admitted = new AdmittedNodes();
  private final ScheduledExecutorService joins = joins();
  private final Map<String, LvmVolume> open = new ConcurrentHashMap<>();

  /** Starts it with the services and the state directory of the node. */
  @Activate
  public LvmEngine(
      BundleContext bundle,
      @Reference Host host,
      @Reference EngineRecords records,
      @Reference SharedServices sharing) {
    this(
        new LvmContext(
            new GroupReports(host, System::nanoTime, SHARED),
            records,
            LvmSettings.of(bundle).state(),
            DirectFile::open,
            sharing),
        LOOKS);
  }

  /** Starts it, and looks after the space and the links of pools so often. */
  LvmEngine(LvmContext context, Duration looks) {
    this.context = context;
    this.replicas = new Replicas(context);
    this.space = new SpaceWatch(this::openGroups);
    this.waits = new WaitWatch(this::users, InstantSource.system());
    PoolLinkWatch links = new PoolLinkWatch(this::openGroups);
    this.watches =
        List.of(
            new GroupWatch("lvm-space", looks, space::lookAtAll),
            new GroupWatch("lvm-links", looks, links::lookAtAll),
            new GroupWatch("lvm-waits", looks, waits::lookAtAll));
  }

  /** A call to a node that does not answer blocks a thread for some seconds. */
  private static ScheduledExecutorService joins() {
    ScheduledThreadPoolExecutor threads =
        new ScheduledThreadPoolExecutor(
            JOINS,
            task -> {
              Thread thread = new Thread(task, "lvm-join");
              thread.setDaemon(true);
              return thread;
            });
    threads.setKeepAliveTime(1, TimeUnit.MINUTES);
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /** Returns the nodes that pass requests on to volumes which this engine has open. */
  AdmittedNodes admitted() {
    return admitted;
  }

  @Override
  public Admission admit(String volume, String node, BlockDevice device) throws StorageException {
    return admitted.admit(volume, node, device);
  }

  @Override
  public ForwardedVolume forward(ForwardRequest request) throws StorageException {
    return new ForwardedLvmVolume(RemoteVolumeDevice.join(request, context.volumes(), joins));
  }

  /**
   * Returns the manager of a group that several nodes use.
   *
   * @throws StorageException INVALID when one node uses the group; NOT_FOUND when it is absent
   */
  SharedBlobManager shared(String node, String group) throws StorageException {
    return context
        .sharing(node, group)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.INVALID,
                    "volume group "
                        + group
                        + " is not shared on node "
                        + node
                        + ": check that both nodes see the same disk: vgs -o +lock_type "
                        + group));
  }

  @Override
  public String name() {
    return "lvm";
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return Set.of(
        EngineCapability.DURABLE,
        EngineCapability.SNAPSHOTS,
        EngineCapability.EXPANSION,
        EngineCapability.LINKED_CLONE,
        EngineCapability.HANDOVER,
        EngineCapability.FORWARDING,
        EngineCapability.MULTI_NODE,
        EngineCapability.NATIVE_EXPORT,
        EngineCapability.LASTING_EXPORT,
        EngineCapability.PLACEMENT);
  }

  @Override
  public Set<EngineOption> options() {
    return Set.of(
        new EngineOption(MODE, Set.of("thin", LINEAR), "thin", false),
        new EngineOption(WIPE, Set.of("full", UNSAFE), "full", false));
  }

  @Override
  public Set<String> nativeProtocols() {
    return Set.of(DeviceExportRules.PROTOCOL);
  }

  @Override
  public Set<DiskKind> diskKinds() {
    return Set.of(DiskKind.VOLUME_GROUP);
  }

  @Override
  public ReplicaTopology topology() {
    return ReplicaTopology.SHARED_DISK;
  }

  /**
   * The lock daemon of LVM lets one node have a pool of a shared group. A local group belongs to
   * one node, and one process of that node opens a volume of it.
   */
  @Override
  public Fencing fencing() {
    return Fencing.DISK_LOCK;
  }

  @Override
  public Optional<DiskInfo> inspectDisk(DiskLocation disk) throws StorageException {
    String group = ReplicaPlace.group(disk);
    return context
        .blobs(disk.nodeId())
        .inspect(group)
        .filter(GroupInfo::taken)
        .map(LvmEngine::info);
  }

  @Override
  public DiskInfo prepareDisk(DiskLocation disk) throws StorageException {
    String group = ReplicaPlace.group(disk);
    return info(context.blobs(disk.nodeId()).take(group));
  }

  private static DiskInfo info(GroupInfo group) {
    return new DiskInfo(
        group.uuid(),
        group.sizeBytes(),
        group.freeBytes(),
        group.sizeBytes(),
        group.shared(),
        true);
  }

  @Override
  public void releaseDisk(DiskLocation disk) throws StorageException {
    String group = ReplicaPlace.group(disk);
    for (LvmVolume volume : open.values()) {
      if (volume.replica().place().group().equals(group)) {
        throw new StorageException(
            ErrorCode.BUSY,
            "disk "
                + disk.path()
                + ": volume "
                + volume.replica().volume()
                + " is open: detach it first");
      }
    }
  }

  @Override
  public void provisionReplica(ReplicaRequest request) throws StorageException {
    ReplicaLocation location = request.location();
    boolean linear = LINEAR.equals(request.options().get(MODE));
    if (request.content() instanceof BaseContent content) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "replica "
              + location.replica()
              + ": engine lvm has no volumes on backing images, so it cannot use "
              + content.base().image()
              + ": create volume "
              + location.volume()
              + " with another engine or without the image");
    }
    if (request.content() instanceof SnapshotContent content) {
      if (linear) {
        throw new StorageException(
            ErrorCode.UNSUPPORTED,
            "replica "
                + location.replica()
                + ": a linear volume shares no content: copy it, or use the option mode=thin");
      }
      cloneReplica(location, request.sizeBytes(), content);
      return;
    }
    replicas.createEmpty(
        location,
        request.sizeBytes(),
        Replicas.options(linear, UNSAFE.equals(request.options().get(WIPE))));
  }

  @Override
  public void provisionReplica(ReplicaLocation location, long sizeBytes) throws StorageException {
    replicas.createEmpty(location, sizeBytes, BlobOptions.THIN);
  }

  @Override
  public void cloneReplica(ReplicaLocation location, long sizeBytes, SnapshotContent content)
      throws StorageException {
    LvmVolume source = open.get(key(content.source()));
    if (source == null) {
      throw new StorageException(
          ErrorCode.BUSY,
          "replica "
              + location.replica()
              + ": its source, volume "
              + content.source().volume()
              + ", is not open on this node: attach it");
    }
    replicas.createClone(location, sizeBytes, content, source.replica());
  }

  private static String key(ReplicaLocation location) {
    return location.diskPath() + " " + location.directoryName();
  }

  @Override
  public void deleteReplica(ReplicaLocation location) throws StorageException {
    replicas.delete(location);
  }

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation location) throws StorageException {
    return replicas.inspect(location);
  }

  /** An attempt to open a volume. */
  private interface Attempt {
    LvmVolume run(LvmOpening opening) throws StorageException;
  }

  private OpenVolume opened(OpenRequest request, Attempt attempt) throws StorageException {
    String key = key(request.replicas().get(0));
    LvmVolume volume =
        attempt.run(new LvmOpening(context, request, closed -> open.remove(key, closed)));
    open.put(key, volume);
    return volume;
  }

  @Override
  public OpenVolume open(OpenRequest request) throws StorageException {
    return opened(request, LvmOpening::open);
  }

  @Override
  public OpenVolume resume(OpenRequest request, Handover handover) throws StorageException {
    return opened(request, opening -> opening.resume(handover));
  }

  @Override
  public OpenVolume adopt(OpenRequest request) throws StorageException {
    return opened(request, LvmOpening::adopt);
  }

  @Override
  public OptionalLong leftServing(ReplicaLocation location) throws StorageException {
    ReplicaPlace place = context.place(location);
    NodeFiles files = context.files(place);
    OpeningState state = files.state();
    boolean left =
        !files.isLockedHere()
            && state.serving().isPresent()
            && context.devices().isShown(place.head());
    return left ? OptionalLong.of(state.generation()) : OptionalLong.empty();
  }

  @Override
  public void withdrawLeft(ReplicaLocation location) throws StorageException {
    replicas.withdraw(location);
  }

  private Set<SpaceWatch.OpenGroup> openGroups() {
    return open.values().stream()
        .map(LvmVolume::replica)
        .filter(OpenReplica::isThin)
        .map(replica -> new SpaceWatch.OpenGroup(replica.blobs(), replica.place().group()))
        .collect(Collectors.toSet());
  }

  private List<WaitWatch.User> users() {
    return open.values().stream()
        .filter(volume -> volume.replica().isThin())
        .map(LvmVolume::user)
        .toList();
  }

  /** Extends pools now, and tells what requests wait for. */
  void lookAfterSpace() {
    space.lookAtAll();
    waits.lookAtAll();
  }

  /** Closes volumes that are still open; those with exports continue to serve, without a hold. */
  @Deactivate
  void deactivate() {
    watches.forEach(GroupWatch::close);
    var unused = joins.shutdownNow();
    for (LvmVolume volume : Set.copyOf(open.values())) {
      try {
        volume.stop();
      } catch (StorageException e) {
        LOG.warn("volume {}: could not close it: {}", volume.replica().volume(), e.getMessage());
      }
    }
    context.devices().abandon();
  }

  /** Ends as the end of the process does: nothing is written. */
  void abandon() {
    watches.forEach(GroupWatch::close);
    var unused = joins.shutdownNow();
    open.values().forEach(LvmVolume::abandon);
    open.clear();
    context.devices().abandon();
  }
}
