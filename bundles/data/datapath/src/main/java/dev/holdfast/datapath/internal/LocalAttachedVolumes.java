package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.AttachedVolume;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.NodeName;
import dev.holdfast.datapath.StateDirectory;
import dev.holdfast.datapath.internal.condition.ServingCondition;
import dev.holdfast.datapath.internal.figures.FiguresOfVolumes;
import dev.holdfast.datapath.internal.figures.VolumeFigures;
import dev.holdfast.datapath.internal.hosts.ExportHosts;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientDirectory;
import dev.holdfast.frontend.Portal;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The attached volumes of this process. Thread-safe. The component is immediate because volumes
 * stay open while the runtime, the store or the bundles of the reconcilers are replaced.
 */
@Component(
    service = {AttachedVolumes.class, LocalAttachedVolumes.class, FiguresOfVolumes.class},
    immediate = true)
public final class LocalAttachedVolumes
    implements AttachedVolumes, InstalledPlugins.Observer, FiguresOfVolumes {
  private static final Logger LOG = LoggerFactory.getLogger(LocalAttachedVolumes.class);
  private static final Duration LONGEST_STEP = Duration.ofSeconds(60);

  private final InstalledPlugins plugins;
  private final Executor threads;
  private final VolumeActivity activity;
  private final ExportHosts exportHosts;
  private final InstantSource clock;
  private final String name;
  private final Map<String, LocalAttachedVolume> volumes = new ConcurrentHashMap<>();

  /** The volumes that later openings took over, by engine. */
  private final Map<String, String> takenOver = new ConcurrentHashMap<>();

  private final EngineReplacements replacements;
  private final ReplicaCommands commands = new ReplicaCommands(this::command);
  private volatile Optional<Portal> portal = Optional.empty();
  private volatile Optional<ResourceStore> store = Optional.empty();
  private volatile HostPaths hostPaths = HostPaths.NONE;
  private volatile boolean stopping;

  /** Creates the registry of a running bundle. */
  @Activate
  public LocalAttachedVolumes(@Reference InstalledPlugins plugins, BundleContext context) {
    this(
        plugins,
        threads(),
        VolumeActivity.below(StateDirectory.of(context::getProperty)),
        InstantSource.system(),
        NodeName.of(context::getProperty),
        new ExportHosts(name -> Optional.ofNullable(context.getProperty(name))));
  }

  /**
   * Creates a registry without volumes.
   *
   * @param plugins the engines and frontends that are installed
   * @param threads run the steps of volumes; an executor service is shut down at the end
   * @param activity record of hosts' use of the volumes
   * @param clock clock of this node
   * @param name name of this node
   */
  public LocalAttachedVolumes(
      InstalledPlugins plugins,
      Executor threads,
      VolumeActivity activity,
      InstantSource clock,
      String name) {
    this(plugins, threads, activity, clock, name, new ExportHosts(property -> Optional.empty()));
  }

  LocalAttachedVolumes(
      InstalledPlugins plugins,
      Executor threads,
      VolumeActivity activity,
      InstantSource clock,
      String name,
      ExportHosts exportHosts) {
    this.plugins = plugins;
    this.threads = threads;
    this.activity = activity;
    this.exportHosts = exportHosts;
    this.clock = clock;
    this.name = name;
    this.replacements = new EngineReplacements(clock);
    plugins.addObserver(this);
  }

  /**
   * Closes all volumes cleanly, except lasting exports of engines. Wanted engines stay wanted: the
   * next start opens or adopts them again.
   */
  @Deactivate
  public void stop() {
    plugins.removeObserver(this);
    Instant now = clock.instant();
    volumes.forEach((engine, volume) -> activity.observe(engine, volume.requests(), now));
    activity.keep();
    closeAll();
    if (threads instanceof ExecutorService service) {
      service.shutdown();
    }
  }

  /** Creates threads for volumes, as many as have work. */
  private static ExecutorService threads() {
    AtomicInteger number = new AtomicInteger();
    return Executors.newCachedThreadPool(
        task -> {
          Thread thread = new Thread(task, "holdfast-path-" + number.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Sets the store. The volumes continue to serve while none is installed. */
  @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
  public void addStore(ResourceStore present) {
    store = Optional.of(present);
  }

  void removeStore(ResourceStore leaving) {
    if (store.filter(present -> present == leaving).isPresent()) {
      store = Optional.empty();
    }
  }

  @Override
  public Optional<AttachedVolume> get(String engine) {
    return Optional.ofNullable(volumes.get(engine));
  }

  /** Returns the volume of an engine, with the operations that only this bundle uses. */
  Optional<LocalAttachedVolume> find(String engine) {
    return Optional.ofNullable(volumes.get(engine));
  }

  /** Returns the volume of an engine, creating it if needed; empty while the node stops. */
  Optional<LocalAttachedVolume> obtain(String engine, String volume) {
    return stopping
        ? Optional.empty()
        : Optional.of(
            volumes.computeIfAbsent(engine, key -> new LocalAttachedVolume(engine, volume, this)));
  }

  /** Returns all volumes. */
  Collection<LocalAttachedVolume> all() {
    return List.copyOf(volumes.values());
  }

  @Override
  public ResourceStore store() throws StorageException {
    return store.orElseThrow(
        () -> new StorageException(ErrorCode.UNREACHABLE, "no store is installed now"));
  }

  @Override
  public Executor executor() {
    return threads;
  }

  InstalledPlugins plugins() {
    return plugins;
  }

  InstantSource clock() {
    return clock;
  }

  /** Returns the name of this node. */
  String name() {
    return name;
  }

  /** Returns the rules for which hosts may use exports of engines. */
  ExportHosts exportHosts() {
    return exportHosts;
  }

  /** Returns the record of hosts' use of the volumes. */
  VolumeActivity activity() {
    return activity;
  }

  @Override
  public List<VolumeFigures> figures() {
    return all().stream().flatMap(volume -> volume.figures().stream()).toList();
  }

  /** Returns the health of the engine of each volume. */
  List<EngineHealth> health() {
    return all().stream().map(LocalAttachedVolume::health).toList();
  }

  /** Returns the commands to open volumes about their replicas. */
  ReplicaCommands commands() {
    return commands;
  }

  /** Runs a command as a step, and reports its result. */
  private void command(String engine, AttachedVolume.Operation<Boolean> operation) {
    Optional<LocalAttachedVolume> found = find(engine);
    if (found.isEmpty()) {
      LOG.debug("engine {}: could not run a command: its volume is not open on this node", engine);
      return;
    }
    var unused =
        found
            .get()
            .operate(operation)
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    LOG.debug(
                        "engine {}: could not run a command: {}", engine, failure.getMessage());
                  }
                  tryReport(found.get());
                });
  }

  /** Writes the status of a volume; after a failure the reconciler writes it later. */
  void tryReport(LocalAttachedVolume volume) {
    try {
      report(volume);
    } catch (StorageException e) {
      LOG.debug("engine {}: could not write its status: {}", volume.engine(), e.getMessage());
    }
  }

  /**
   * Writes the status of a volume into its Engine. Ignores a closed volume, because its engine may
   * be open again as another object.
   */
  void report(LocalAttachedVolume volume) throws StorageException {
    if (volumes.get(volume.engine()) != volume) {
      return;
    }
    EngineReporter.report(store(), volume.engine(), engine -> reported(engine, volume.status()));
  }

  /** After this node reports Stopped, another node may own the engine: do not change its status. */
  private Engine reported(Engine engine, AttachedVolumeStatus status) {
    if (engine.status().nodeID().equals(name)) {
      EngineStatus next = EngineStatuses.of(engine, status, name, clock.instant());
      boolean uncertain =
          status.phase() == AttachedVolumeStatus.Phase.CLOSED && ServingCondition.mayServe(next);
      return uncertain
          ? engine
          : engine.withStatus(next.withRebuildStatus(commands.status(engine)));
    }
    return engine.withStatus(ForwardingStatuses.of(engine, status, name, clock.instant()));
  }

  /** Removes a closed volume after its last report. */
  void closed(LocalAttachedVolume volume) {
    tryReport(volume);
    left(volume);
  }

  /**
   * Removes a volume without a last report: an export of its engine may continue to serve hosts.
   */
  void left(LocalAttachedVolume volume) {
    volumes.remove(volume.engine(), volume);
    takenOver.remove(volume.engine());
    commands.forget(volume.engine());
  }

  /** Returns the record of volumes that moved between bundles of an engine. */
  EngineReplacements replacements() {
    return replacements;
  }

  /** Returns how many volumes an engine has open. */
  int served(EngineProvider engine) {
    return (int)
        all().stream()
            .filter(volume -> volume.usedEngine().filter(used -> used == engine).isPresent())
            .count();
  }

  /** Returns the names of the engines that volumes wait for, one for each volume. */
  List<String> awaited() {
    return all().stream().flatMap(volume -> volume.awaitedEngine().stream()).toList();
  }

  @Override
  public Set<String> takenOver() {
    return Set.copyOf(takenOver.values());
  }

  /** Records why an engine gave up, before its parts are closed, which may take seconds. */
  void gaveUp(String engine, String volume, StorageException cause) {
    if (cause.code() == ErrorCode.FORBIDDEN) {
      takenOver.put(engine, volume);
    }
  }

  /** Records that a volume is open here, or is forwarded. */
  void reached(String engine) {
    takenOver.remove(engine);
  }

  @Override
  public Optional<Portal> portal() {
    return portal;
  }

  /** Sets the directory of clients. */
  @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
  void addClients(ClientDirectory arrived) {
    exportHosts.use(arrived);
  }

  void removeClients(ClientDirectory leaving) {
    exportHosts.forget(leaving);
  }

  /** Sets the portal that publishes volumes. */
  @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
  public void addPortal(Portal arrived) {
    portal = Optional.of(arrived);
    frontendArrived();
  }

  /** Withdraws the exports of a portal; returns when that is done, or after 60 s. */
  public void removePortal(Portal leaving) {
    if (portal.filter(present -> present == leaving).isPresent()) {
      portal = Optional.empty();
    }
    forAll("portal", volume -> volume.portalLeaving(leaving));
  }

  /** Sets the service that changes this host's paths to volumes. */
  @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
  public void addInitiatorPaths(InitiatorPaths present) {
    hostPaths = present;
  }

  void removeInitiatorPaths(InitiatorPaths leaving) {
    hostPaths(hostPaths == leaving ? HostPaths.NONE : hostPaths);
  }

  /** Returns the paths by which this host is connected. */
  HostPaths hostPaths() {
    return hostPaths;
  }

  /** Sets the paths of hosts, for use without OSGi. */
  void hostPaths(HostPaths present) {
    hostPaths = present;
  }

  @Override
  public void engineArrived(String engine) {
    volumes.values().forEach(volume -> volume.engineArrived(engine));
  }

  @Override
  public void frontendArrived() {
    volumes.values().forEach(LocalAttachedVolume::frontendArrived);
  }

  @Override
  public void engineLeaving(EngineProvider engine) {
    forAll("engine " + engine.name(), volume -> volume.engineLeaving(engine));
  }

  private void closeAll() {
    stopping = true;
    forAll("all volumes", LocalAttachedVolume::leave);
  }

  private void forAll(
      String leaving, Function<LocalAttachedVolume, CompletableFuture<Void>> action) {
    await(leaving, all().stream().map(action).toList());
  }

  private static void await(String what, List<CompletableFuture<Void>> steps) {
    try {
      CompletableFuture.allOf(steps.toArray(CompletableFuture<?>[]::new))
          .get(LONGEST_STEP.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("{}: volumes are still open after {}: {}", what, LONGEST_STEP, String.valueOf(e));
    }
  }
}
