package dev.holdfast.engine.sparse.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.Admission;
import dev.holdfast.engine.BaseContent;
import dev.holdfast.engine.BaseEngine;
import dev.holdfast.engine.BaseInfo;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.BaseWriter;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
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
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.engine.sparse.internal.base.BaseStorage;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.forward.ForwardedDevice;
import dev.holdfast.engine.sparse.internal.forward.ForwardedSparseVolume;
import dev.holdfast.engine.sparse.internal.link.NetworkLinks;
import dev.holdfast.engine.sparse.internal.link.RemoteMember;
import dev.holdfast.engine.sparse.internal.link.ReplicaLinks;
import dev.holdfast.engine.sparse.internal.link.ReplicaSessionLink;
import dev.holdfast.engine.sparse.internal.members.HungReplicas;
import dev.holdfast.engine.sparse.internal.members.ReplicaModes;
import dev.holdfast.engine.sparse.internal.members.TimedFence;
import dev.holdfast.engine.sparse.internal.members.TimedMember;
import dev.holdfast.engine.sparse.internal.replica.InheritedIndex;
import dev.holdfast.engine.sparse.internal.replica.LinkedReplicaStorage;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.sparse.internal.serve.ForwardingTargets;
import dev.holdfast.engine.sparse.internal.volume.ReplicaAccess;
import dev.holdfast.engine.sparse.internal.volume.ResumePreload;
import dev.holdfast.engine.sparse.internal.volume.VolumeContext;
import dev.holdfast.engine.sparse.internal.volume.VolumeResumption;
import dev.holdfast.engine.sparse.internal.volume.VolumeStart;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.NodeChannels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Engine that keeps a volume as directories of sparse files in the layout of Longhorn v1. Its
 * replicas are identical and are on disks of this node and of other nodes.
 */
@Component(service = {EngineProvider.class, SparseEngine.class})
public final class SparseEngine
    implements HandoverEngine, ForwardingEngine, LinkedCloneEngine, BaseEngine {
  private static final Logger LOG = LoggerFactory.getLogger(SparseEngine.class);
  private static final Duration REGISTER_RETRY = Duration.ofMillis(500);
  private static final long SWEEP_SECONDS = 30;
  private static final long REHEARSAL_SECONDS = 3;

  // A volume with hanging requests occupies one sweeper thread; the remaining threads clear the
  // marks of other volumes.
  private static final int SWEEPERS = 4;
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  private final HandoverWarmup rehearsal =
      new HandoverWarmup(Path.of(System.getProperty("java.io.tmpdir")));
  private final OpenVolumes open = new OpenVolumes();
  private final ReplicaStorage maker = new ReplicaStorage();
  private final ReplicaHost host;
  private final BaseStorage bases;
  private final ExecutorService executor;
  private final ScheduledExecutorService timer;
  // The sweeper is separate from the timer: a sweep waits for requests, and requests wait for the
  // time-outs of members, which the timer runs.
  private final ScheduledExecutorService sweeper;
  private final MemberClock clock;
  private final HungReplicas hung = new HungReplicas();
  private final EngineTransport transport;
  private final ForwardingTargets admitted = new ForwardingTargets();
  private final Duration registerRetry;

  /** Starts the engine on the file systems of this host. */
  @Activate
  public SparseEngine() throws IOException {
    this(
        LocalReplicaDirectory::new,
        Files.readString(BOOT_ID).trim(),
        Executors.newCachedThreadPool(SparseEngine::daemon),
        REGISTER_RETRY,
        SparseEngine::noWay);
    var unused =
        sweeper.scheduleWithFixedDelay(
            () -> open.all().forEach(volume -> sweeper.execute(volume::sweep)),
            SWEEP_SECONDS,
            SWEEP_SECONDS,
            TimeUnit.SECONDS);
    executor.execute(ResumePreload::prepare);
    rehearseSoon();
  }

  // Warm up without a request: an update in place takes over volumes without calling prepare.
  private void rehearseSoon() {
    var unused =
        timer.schedule(() -> sweeper.execute(this::prepare), REHEARSAL_SECONDS, TimeUnit.SECONDS);
  }

  /**
   * Starts an engine on other directories.
   *
   * @param directories opens the directory of a replica
   * @param boot changes after each event that may lose data that was not synced
   * @param executor runs blocking work away from the callers' threads
   * @param registerRetry delay before the next attempt to reach the register
   * @param links connections to replicas on other nodes
   */
  public SparseEngine(
      Function<Path, ReplicaDirectory> directories,
      String boot,
      ExecutorService executor,
      Duration registerRetry,
      ReplicaLinks links) {
    this.host = new ReplicaHost(directories, boot);
    this.bases = new BaseStorage(directories);
    this.executor = executor;
    this.registerRetry = registerRetry;
    this.transport = new EngineTransport(links);
    this.timer = Executors.newSingleThreadScheduledExecutor(SparseEngine::daemon);
    this.sweeper = Executors.newScheduledThreadPool(SWEEPERS, SparseEngine::daemon);
    this.clock = new EngineClock(timer, executor);
  }

  @SuppressWarnings("DoNotCallSuggester") // Always throws: no transport is bound.
  static ReplicaSessionLink noWay(
      ReplicaLocation location, Token token, Duration timeout, ReplicaLinks.Listener listener)
      throws StorageException {
    throw new StorageException(
        ErrorCode.UNREACHABLE,
        "replica "
            + location.replica()
            + " is on node "
            + location.nodeId()
            + ", which cannot be called at the moment");
  }

  /** Returns the owner of this node's replicas, for the service that other nodes call. */
  public ReplicaHost host() {
    return host;
  }

  /**
   * Binds channels to other nodes. Channels that exist at activation are bound before this engine
   * is registered, because a volume that continues in it needs its remote replicas immediately.
   */
  @Reference(
      cardinality = ReferenceCardinality.OPTIONAL,
      policy = ReferencePolicy.DYNAMIC,
      policyOption = ReferencePolicyOption.GREEDY)
  void bindChannels(NodeChannels channels) throws IOException {
    transport.arrived(channels, new NetworkLinks(channels));
  }

  /** Removes the channels to other nodes; also called when this engine stops. */
  void unbindChannels(NodeChannels channels) {
    transport.left(channels);
  }

  /** Returns the volumes that other nodes may use, for the service that they call. */
  ForwardingTargets admitted() {
    return admitted;
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "holdfast-sparse");
    thread.setDaemon(true);
    return thread;
  }

  /** Clears marks of all open volumes that are no longer needed. */
  public void sweep() {
    open.all().forEach(SparseVolume::sweep);
  }

  /**
   * Closes all open volumes. Openings in progress fail, so that the replicas are free for the next
   * version of this bundle. Threads and clock of this engine end with the last opening.
   */
  @Deactivate
  public void stop() {
    List<SparseVolume> left = open.stop();
    host.stop();
    for (SparseVolume volume : left) {
      try {
        volume.close();
      } catch (StorageException e) {
        LOG.error("{}", e.getMessage());
      }
    }
    sweeper.shutdown();
    open.whenIdle(this::release);
  }

  private void release() {
    // A task that waits for its time would keep this bundle's classes in memory until then.
    var unused = timer.shutdownNow();
    executor.shutdown();
  }

  @Override
  public String name() {
    return "sparse";
  }

  @Override
  public Set<EngineCapability> capabilities() {
    return Set.of(
        EngineCapability.DURABLE,
        EngineCapability.REPLICATED,
        EngineCapability.REMOTE_REPLICAS,
        EngineCapability.SNAPSHOTS,
        EngineCapability.EXPANSION,
        EngineCapability.REBUILD,
        EngineCapability.SCRUBBING,
        EngineCapability.REPLICA_REMOVAL,
        EngineCapability.TRIM_RECLAIM,
        EngineCapability.HANDOVER,
        EngineCapability.FORWARDING,
        EngineCapability.MULTI_NODE,
        EngineCapability.LINKED_CLONE,
        EngineCapability.BASES);
  }

  @Override
  public void provisionReplica(ReplicaRequest request) throws StorageException {
    if (request.content() instanceof BaseContent content && !request.location().witness()) {
      provisionOn(content.base(), request.location(), request.sizeBytes());
    } else if (request.content() instanceof BaseContent) {
      provisionReplica(request.location(), request.sizeBytes());
    } else {
      HandoverEngine.super.provisionReplica(request);
    }
  }

  private void provisionOn(BaseLocation base, ReplicaLocation replica, long sizeBytes)
      throws StorageException {
    if (!base.disk().path().equals(replica.diskPath())) {
      throw new StorageException(
          ErrorCode.INVALID,
          "replica "
              + replica.replica()
              + ": backing image "
              + base.image()
              + " is on disk "
              + base.disk().path()
              + ", the replica on "
              + replica.diskPath()
              + ": copy the image to the replica's disk");
    }
    bases.provision(
        base, sizeBytes, identity -> maker.provision(replica, sizeBytes, Optional.of(identity)));
  }

  @Override
  public List<BaseLocation> bases(DiskLocation disk) throws StorageException {
    return bases.list(disk);
  }

  @Override
  public Optional<BaseInfo> inspectBase(BaseLocation base) throws StorageException {
    return bases.inspect(base);
  }

  @Override
  public BaseWriter createBase(BaseLocation base, long sizeBytes) throws StorageException {
    return bases.create(base, sizeBytes);
  }

  @Override
  public BlockDevice openBase(BaseLocation base) throws StorageException {
    return bases.open(base);
  }

  @Override
  public void confirmBase(BaseLocation base) throws StorageException {
    bases.confirm(base);
  }

  @Override
  public void deleteBase(BaseLocation base) throws StorageException {
    bases.delete(base);
  }

  @Override
  public void provisionReplica(ReplicaLocation replica, long sizeBytes) throws StorageException {
    maker.provision(replica, sizeBytes);
  }

  @Override
  public void cloneReplica(ReplicaLocation replica, long sizeBytes, SnapshotContent content)
      throws StorageException {
    bases.keepingAll(() -> new LinkedReplicaStorage(host).link(replica, sizeBytes, content));
  }

  @Override
  public void deleteReplica(ReplicaLocation replica) throws StorageException {
    if (host.holds(replica)) {
      throw new StorageException(
          ErrorCode.BUSY, "replica " + replica.replica() + " is open; detach its volume first");
    }
    maker.delete(replica);
  }

  @Override
  public Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) throws StorageException {
    return maker.inspect(replica);
  }

  @Override
  public OpenVolume open(OpenRequest request) throws StorageException {
    VolumeClaim opening = new VolumeClaim();
    Optional<SparseVolume> opened = Optional.empty();
    open.openingBegins();
    try {
      ReplicaAccess access =
          (location, token) -> fence(request, location, token, opening, Optional.empty());
      SparseVolume volume = serve(request, access);
      open.add(request.volume(), volume);
      opened = Optional.of(volume);
      return volume;
    } finally {
      opening.over(opened);
      open.openingEnds();
    }
  }

  private SparseVolume serve(OpenRequest request, ReplicaAccess access) throws StorageException {
    VolumeStart start = new VolumeStart(request, access, executor);
    VolumeStart.Outcome outcome = start.run();
    ReplicaModes modes = start.modes(outcome.current());
    return new SparseVolume(
        VolumeContext.of(request, outcome, modes, executor, clock, registerRetry),
        access,
        open::remove,
        0);
  }

  @Override
  public void prepare() {
    boolean unused = rehearsal.run(this);
  }

  @Override
  public OpenVolume resume(OpenRequest request, Handover handover) throws StorageException {
    VolumeClaim opening = new VolumeClaim();
    Optional<SparseVolume> opened = Optional.empty();
    open.openingBegins();
    try {
      VolumeContext parts =
          new VolumeResumption(request, handover)
              .run(
                  (location, token, known) -> fence(request, location, token, opening, known),
                  executor,
                  clock,
                  registerRetry);
      ReplicaAccess later =
          (location, token) -> fence(request, location, token, opening, Optional.empty());
      SparseVolume volume = new SparseVolume(parts, later, open::remove, handover.session());
      open.add(request.volume(), volume);
      opened = Optional.of(volume);
      return volume;
    } finally {
      opening.over(opened);
      open.openingEnds();
    }
  }

  @Override
  public Admission admit(String volume, String node, BlockDevice device) throws StorageException {
    return admitted.admit(volume, node, device);
  }

  @Override
  public ForwardedVolume forward(ForwardRequest request) throws StorageException {
    return new ForwardedSparseVolume(
        ForwardedDevice.join(
            request, new ForwardedDevice.Surroundings(transport.volumes(), executor, clock)));
  }

  private Member fence(
      OpenRequest request,
      ReplicaLocation location,
      Token token,
      VolumeClaim opening,
      Optional<InheritedIndex> known)
      throws StorageException {
    open.check(location.volume());
    Member member =
        location.nodeId().equals(request.nodeId())
            ? fenceHere(request, location, token, opening, known)
            : RemoteMember.fence(
                location,
                token,
                new RemoteMember.Surroundings(
                    transport.replicas(), executor, clock, request.options().replicaTimeout()));
    if (!member.witness()) {
      opening.admit();
    }
    return member;
  }

  private Member fenceHere(
      OpenRequest request,
      ReplicaLocation location,
      Token token,
      VolumeClaim opening,
      Optional<InheritedIndex> known)
      throws StorageException {
    opening.check(location.volume());
    hung.check(location);
    try {
      return fenceLocal(request, location, token, opening, known);
    } catch (StorageException e) {
      open.check(location.volume());
      throw e;
    }
  }

  private Member fenceLocal(
      OpenRequest request,
      ReplicaLocation location,
      Token token,
      VolumeClaim opening,
      Optional<InheritedIndex> known)
      throws StorageException {
    TimedMember.Surroundings around =
        new TimedMember.Surroundings(executor, clock, request.options().replicaTimeout(), hung);
    return request.replicas().size() == 1
        ? new TimedMember(host.fence(location, token, opening, known), around)
        : new TimedFence(
                location,
                around,
                () -> host.fence(location, token, opening, known),
                opening::anyLetIn)
            .run();
  }
}
