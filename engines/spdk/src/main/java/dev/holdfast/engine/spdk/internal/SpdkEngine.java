package dev.holdfast.engine.spdk.internal;

import dev.holdfast.engine.DiskEngine;
import dev.holdfast.engine.DiskInfo;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
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
import dev.holdfast.engine.export.LastingExportEngine;
import dev.holdfast.engine.spdk.internal.calls.AllocatedClusters;
import dev.holdfast.engine.spdk.internal.calls.KeyFiles;
import dev.holdfast.engine.spdk.internal.calls.LegControllers;
import dev.holdfast.engine.spdk.internal.calls.Lvols;
import dev.holdfast.engine.spdk.internal.calls.SpdkKeyring;
import dev.holdfast.engine.spdk.internal.calls.SpdkMirrors;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.internal.calls.Subsystems;
import dev.holdfast.engine.spdk.internal.calls.TargetListener;
import dev.holdfast.engine.spdk.internal.data.Connector;
import dev.holdfast.engine.spdk.internal.data.Loopback;
import dev.holdfast.engine.spdk.internal.disk.SpdkDisks;
import dev.holdfast.engine.spdk.internal.nodes.ClusterNodes;
import dev.holdfast.engine.spdk.internal.nodes.LegServer;
import dev.holdfast.engine.spdk.internal.replica.LegKeys;
import dev.holdfast.engine.spdk.internal.replica.LegNode;
import dev.holdfast.engine.spdk.internal.replica.LegNodes;
import dev.holdfast.engine.spdk.internal.replica.LegService;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.engine.spdk.internal.replica.SpdkReplicas;
import dev.holdfast.engine.spdk.internal.replica.VolumeRemains;
import dev.holdfast.engine.spdk.internal.volume.NvmeExportRules;
import dev.holdfast.engine.spdk.internal.volume.SpdkContext;
import dev.holdfast.engine.spdk.internal.volume.SpdkOpening;
import dev.holdfast.engine.spdk.internal.volume.SpdkVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.NodeChannels;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps volumes as logical volumes of the SPDK target of this node. Thread-safe. */
@Component(service = {EngineProvider.class, BindableService.class})
public final class SpdkEngine
    implements DiskEngine, LinkedCloneEngine, HandoverEngine, LastingExportEngine, BindableService {
  private static final Logger LOG = LoggerFactory.getLogger(SpdkEngine.class);
  private static final long LOOKS_MS = 1_000;
  private static final Duration PATIENCE = Duration.ofSeconds(8);
  private static final int RESTORATIONS = 4;
  private static final Duration START_PATIENCE = Duration.ofSeconds(5);

  private final SpdkTarget target;
  private final SpdkDisks disks;
  private final SpdkContext context;
  private final ClusterNodes cluster;
  private final Map<String, SpdkVolume> open = new ConcurrentHashMap<>();
  private final ScheduledExecutorService looks = executor(1, "spdk legs");
  private final ScheduledExecutorService restorations = executor(RESTORATIONS, "spdk restoration");
  private final TargetReplacement replacement;

  /** Starts it with the properties of the node. The target is called at the first use. */
  @Activate
  public SpdkEngine(BundleContext bundle) {
    this(SpdkSettings.of(bundle::getProperty), bundle);
  }

  private SpdkEngine(SpdkSettings settings, BundleContext bundle) {
    this(
        settings,
        TargetChoice.of(settings, name -> Optional.ofNullable(bundle.getProperty(name))),
        Connector.tcp(),
        new ClusterNodes());
  }

  private SpdkEngine(
      SpdkSettings settings, SpdkTarget target, Connector connector, ClusterNodes cluster) {
    this(settings, target, connector, cluster, cluster, PATIENCE);
  }

  SpdkEngine(
      SpdkSettings settings,
      SpdkTarget target,
      Connector connector,
      LegNodes nodes,
      Duration patience) {
    this(settings, target, connector, new ClusterNodes(), nodes, patience);
  }

  private SpdkEngine(
      SpdkSettings settings,
      SpdkTarget target,
      Connector connector,
      ClusterNodes cluster,
      LegNodes nodes,
      Duration patience) {
    this.target = target;
    this.cluster = cluster;
    disks = new SpdkDisks(target, settings.blockClasses());
    Lvols lvols = new Lvols(target);
    SpdkMirrors raids = new SpdkMirrors(target);
    Loopback loopback =
        new Loopback(
            new Subsystems(target),
            new TargetListener(SpdkSettings.LOOPBACK, settings.ownPort()),
            connector);
    LegControllers controllers = new LegControllers(target);
    SpdkReplicas replicas =
        new SpdkReplicas(
            disks, lvols, loopback, new VolumeRemains(loopback.subsystems(), raids, controllers));
    TargetListener hosts = new TargetListener(settings.address(), settings.port());
    replacement = new TargetReplacement(target, hosts);
    KeyFiles keys = new KeyFiles(new SpdkKeyring(target), settings.keys());
    context =
        new SpdkContext(
            target,
            raids,
            loopback,
            replicas,
            controllers,
            nodes,
            new LegService(replicas, target, hosts, new LegKeys(keys), this::supersede),
            hosts,
            patience,
            settings.hostName(),
            keys,
            new AllocatedClusters(target, settings.processes()),
            restorations);
    var unused =
        looks.scheduleWithFixedDelay(this::look, LOOKS_MS, LOOKS_MS, TimeUnit.MILLISECONDS);
  }

  private static ScheduledExecutorService executor(int threads, String name) {
    return new ScheduledThreadPoolExecutor(
        threads,
        task -> {
          Thread thread = new Thread(task, name);
          thread.setDaemon(true);
          return thread;
        });
  }

  private void look() {
    try {
      lookAtTarget();
      replaceOutdatedTarget();
    } catch (StorageException e) {
      LOG.debug("SPDK target: could not check its state", e);
      return;
    } catch (RuntimeException e) {
      LOG.error("SPDK target: could not check its state", e);
    }
    lookAtLegs();
  }

  /** Restores the volumes that a target lost with its process; those without requests too. */
  private void lookAtTarget() throws StorageException {
    if (open.values().stream().allMatch(SpdkVolume::isRestoring)) {
      return;
    }
    target.run("spdk_get_version", SpdkTarget.params());
    long connection = target.connections();
    List<SpdkVolume> due =
        open.values().stream().filter(volume -> volume.isDue(connection)).toList();
    if (!due.isEmpty()) {
      Set<String> shown = new HashSet<>();
      context.loopback().subsystems().all().forEach(one -> shown.add(one.nqn()));
      due.forEach(volume -> volume.check(shown, connection));
    }
  }

  /** Replaces the process of the target if the node names another one. */
  void replaceOutdatedTarget() throws StorageException {
    if (target.isOutdated()) {
      replacement.attempt(open.values(), context.loopback().subsystems().all());
    }
  }

  /** Finds legs that mirrors dropped by themselves. SPDK sends no event for it. */
  void lookAtLegs() {
    for (SpdkVolume volume : open.values()) {
      try {
        volume.lookAtLegs();
        volume.lookAtNodes();
      } catch (StorageException e) {
        LOG.warn("volume {}: could not check its legs: {}", volume.name(), e.getMessage());
      }
    }
  }

  /** Other nodes can be reached now. */
  @Reference(
      cardinality = ReferenceCardinality.OPTIONAL,
      policy = ReferencePolicy.DYNAMIC,
      policyOption = ReferencePolicyOption.GREEDY)
  void bindChannels(NodeChannels channels) {
    cluster.arrived(channels);
  }

  /** Other nodes cannot be reached any more by these channels. */
  void unbindChannels(NodeChannels channels) {
    cluster.left(channels);
  }

  /** Serves the replicas of this node to the other nodes. */
  @Override
  public ServerServiceDefinition bindService() {
    return new LegServer(context.service()).bindService();
  }

  /** Returns the replicas of this node for the other nodes. */
  LegNode service() {
    return context.service();
  }

  @Override
  public String name() {
    return "spdk";
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return Set.of(
        EngineCapability.DURABLE,
        EngineCapability.REPLICATED,
        EngineCapability.REPLICA_REMOVAL,
        EngineCapability.REBUILD,
        EngineCapability.SNAPSHOTS,
        EngineCapability.EXPANSION,
        EngineCapability.LINKED_CLONE,
        EngineCapability.HANDOVER,
        EngineCapability.NATIVE_EXPORT,
        EngineCapability.LASTING_EXPORT);
  }

  @Override
  public Set<String> nativeProtocols() {
    return Set.of(NvmeExportRules.PROTOCOL);
  }

  @Override
  public Set<DiskKind> diskKinds() {
    return Set.of(DiskKind.DEVICE);
  }

  /** A disk belongs to one node. */
  @Override
  public ReplicaTopology topology() {
    return ReplicaTopology.NODE_REPLICAS;
  }

  /** A later opening deletes the subsystem of the earlier one on the node of the replica. */
  @Override
  public Fencing fencing() {
    return Fencing.REPLICAS;
  }

  @Override
  public Optional<DiskInfo> inspectDisk(DiskLocation disk) throws StorageException {
    target.awaitReady(START_PATIENCE);
    return disks.inspect(disk);
  }

  @Override
  public DiskInfo prepareDisk(DiskLocation disk) throws StorageException {
    return disks.prepare(disk);
  }

  @Override
  public void releaseDisk(DiskLocation disk) throws StorageException {
    disks.release(disk);
  }

  @Override
  public void provisionReplica(ReplicaLocation location, long sizeBytes) throws StorageException {
    context.replicas().createEmpty(location, sizeBytes);
  }

  @Override
  public void cloneReplica(ReplicaLocation location, long sizeBytes, SnapshotContent content)
      throws StorageException {
    Optional<SpdkVolume> served = Optional.ofNullable(open.get(content.source().volume()));
    Optional<ReplicaLeg> source =
        served.isPresent()
            ? served.get().leg(content.source())
            : context.service().used(content.source());
    if (source.isEmpty()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "replica "
              + location.replica()
              + ": its source, volume "
              + content.source().volume()
              + ", is not open with that replica: attach it");
    }
    context.replicas().createClone(location, sizeBytes, content, source.get());
  }

  private StorageException busy(ReplicaLocation location) {
    return new StorageException(
        ErrorCode.BUSY,
        "replica "
            + location.replica()
            + ": volume "
            + location.volume()
            + " is open: detach it first");
  }

  private void requireClosed(ReplicaLocation location) throws StorageException {
    if (open.containsKey(location.volume())) {
      throw busy(location);
    }
  }

  @Override
  public void deleteReplica(ReplicaLocation location) throws StorageException {
    Optional<SpdkVolume> volume = Optional.ofNullable(open.get(location.volume()));
    if (volume.flatMap(one -> one.leg(location)).isPresent()) {
      throw busy(location);
    }
    if (context.service().isConnected(location)) {
      throw busy(location);
    }
    context
        .service()
        .exclusively(location, () -> context.replicas().delete(location, volume.isPresent()));
  }

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation location) throws StorageException {
    target.awaitReady(START_PATIENCE);
    return context.replicas().inspect(location);
  }

  /** An attempt to open a volume. */
  private interface Attempt {
    SpdkVolume run(SpdkOpening opening) throws StorageException;
  }

  private OpenVolume opened(OpenRequest request, Attempt attempt) throws StorageException {
    String name = request.volume();
    SpdkVolume volume =
        attempt.run(new SpdkOpening(context, request, closed -> open.remove(name, closed)));
    open.put(name, volume);
    return volume;
  }

  @Override
  public OpenVolume open(OpenRequest request) throws StorageException {
    target.awaitReady(START_PATIENCE);
    return opened(request, opening -> opening.open(() -> supersede(request.volume())));
  }

  private void supersede(String volume) {
    Optional.ofNullable(open.get(volume)).ifPresent(SpdkVolume::supersede);
  }

  @Override
  public OpenVolume resume(OpenRequest request, Handover handover) throws StorageException {
    return opened(request, opening -> opening.resume(handover));
  }

  @Override
  public OpenVolume adopt(OpenRequest request) throws StorageException {
    requireClosed(request.replicas().get(0));
    return opened(request, SpdkOpening::adopt);
  }

  @Override
  public OptionalLong leftServing(ReplicaLocation location) throws StorageException {
    target.awaitReady(START_PATIENCE);
    return open.containsKey(location.volume())
        ? OptionalLong.empty()
        : SpdkOpening.left(context, location);
  }

  @Override
  public void withdrawLeft(ReplicaLocation location) throws StorageException {
    requireClosed(location);
    context.replicas().remains().remove(location.volume());
  }

  /** Closes volumes that are still open; those with exports continue to serve. */
  @Deactivate
  void deactivate() {
    looks.shutdownNow();
    for (SpdkVolume volume : Set.copyOf(open.values())) {
      try {
        volume.stop();
      } catch (StorageException e) {
        LOG.warn("volume {}: could not close it: {}", volume.name(), e.getMessage());
      }
    }
    restorations.shutdownNow();
    context.service().stop();
    target.close();
  }

  /** Ends as the end of the process does: the target is not told. */
  void abandon() {
    looks.shutdownNow();
    open.values().forEach(SpdkVolume::abandon);
    open.clear();
    restorations.shutdownNow();
    context.service().stop();
    target.close();
  }
}
