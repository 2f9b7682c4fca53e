package dev.holdfast.datapath.internal;

import dev.holdfast.block.filter.IoLimits;
import dev.holdfast.datapath.AttachedVolume;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.StateDirectory;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
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
    service = {AttachedVolumes.class, LocalAttachedVolumes.class},
    immediate = true)
public final class LocalAttachedVolumes implements AttachedVolumes, InstalledPlugins.Observer {
  private static final Logger LOG = LoggerFactory.getLogger(LocalAttachedVolumes.class);
  private static final Duration LONGEST_STEP = Duration.ofSeconds(60);

  private final InstalledPlugins plugins;
  private final Executor threads;
  private final Runnable release;
  private final VolumeActivity activity;
  private final Map<String, LocalAttachedVolume> paths = new ConcurrentHashMap<>();
  private final EngineReplacements replacements = new EngineReplacements(() -> clock().instant());
  private final ReplicaCommands orders = new ReplicaCommands(this::order);
  private volatile Optional<Portal> portal = Optional.empty();
  private volatile Optional<ResourceStore> store = Optional.empty();
  private volatile Clock clock = Clock.systemUTC();
  private volatile String node = "";
  private volatile boolean stopping;

  /** Creates the registry of a running bundle. */
  @Activate
  public LocalAttachedVolumes(@Reference InstalledPlugins plugins, BundleContext context) {
    this(plugins, threads(), VolumeActivity.below(StateDirectory.of(context::getProperty)));
  }

  private LocalAttachedVolumes(
      InstalledPlugins plugins, ExecutorService threads, VolumeActivity activity) {
    this(plugins, threads, threads::shutdown, activity);
  }

  /** Creates a registry whose volumes work on given threads, which it releases at its end. */
  public LocalAttachedVolumes(
      InstalledPlugins plugins, Executor threads, Runnable release, VolumeActivity activity) {
    this.plugins = plugins;
    this.threads = threads;
    this.release = release;
    this.activity = activity;
    plugins.addObserver(this);
  }

  /** Closes everything in order. What shall run keeps that wish: the next start opens it again. */
  @Deactivate
  public void stop() {
    plugins.removeObserver(this);
    Instant now = clock.instant();
    paths.forEach((name, path) -> activity.observe(name, path.requests(), now));
    activity.keep();
    closeAll();
    release.run();
  }

  /** Returns how much hosts use the volumes. */
  VolumeActivity activity() {
    return activity;
  }

  /** Creates threads for volumes, as many as have something to do. */
  private static ExecutorService threads() {
    AtomicInteger number = new AtomicInteger();
    return Executors.newCachedThreadPool(
        task -> {
          Thread thread = new Thread(task, "holdfast-path-" + number.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Tells which store to report to, what time it is, and whose paths these are. */
  void use(ResourceStore present, Clock wallClock, String nodeName) {
    store = Optional.of(present);
    clock = wallClock;
    node = nodeName;
  }

  @Override
  public Optional<AttachedVolume> get(String engine) {
    return Optional.ofNullable(paths.get(engine));
  }

  @Override
  public ResourceStore store() throws StorageException {
    return store.orElseThrow(
        () -> new StorageException(ErrorCode.UNREACHABLE, "no store is known yet"));
  }

  Clock clock() {
    return clock;
  }

  @Override
  public Executor executor() {
    return threads;
  }

  /** Returns how many requests hosts made of a volume since its path is there. */
  long requests(String name) {
    return Optional.ofNullable(paths.get(name)).map(LocalAttachedVolume::requests).orElse(0L);
  }

  /** Returns how the engine of each path is doing. */
  List<EngineHealth> pulses() {
    return paths.values().stream().map(LocalAttachedVolume::pulse).toList();
  }

  /** Returns the engines that have a path. */
  Set<String> names() {
    return Set.copyOf(paths.keySet());
  }

  Optional<AttachedVolumeStatus> view(String name) {
    return Optional.ofNullable(paths.get(name)).map(LocalAttachedVolume::status);
  }

  /** Opens a path, or opens it again after a failure. */
  void open(String name, String volume, OpenParameters how) {
    if (!stopping) {
      paths
          .computeIfAbsent(
              name,
              key ->
                  new LocalAttachedVolume(
                      volume,
                      plugins,
                      () -> clock.instant(),
                      threads,
                      replacements,
                      new Reports(name)))
          .open(how);
    }
  }

  /** Opens the volume of a path here whose requests were passed on to another node so far. */
  void takeOver(String name, OpenParameters how) {
    Optional.ofNullable(paths.get(name)).ifPresent(path -> path.takeOver(how));
  }

  /** Lets another node pass requests on to the volume of a path, empty for none. */
  void admit(String name, String other) {
    Optional<String> welcome = other.isEmpty() ? Optional.empty() : Optional.of(other);
    Optional.ofNullable(paths.get(name)).ifPresent(path -> path.admit(welcome));
  }

  /**
   * Runs something with the volume that a path has open, in order with everything else that is done
   * to it.
   *
   * @return what came of it; fails with UNREACHABLE when the volume is not open here
   */
  <T> CompletableFuture<T> operate(String name, AttachedVolume.Operation<T> operation) {
    LocalAttachedVolume path = paths.get(name);
    return path == null
        ? CompletableFuture.failedFuture(
            new StorageException(
                ErrorCode.UNREACHABLE, "engine " + name + " is not open on this node"))
        : path.operate(operation);
  }

  /** Returns the commands to open volumes about their replicas. */
  ReplicaCommands orders() {
    return orders;
  }

  /** Carries out an order as a step, and reports how it went. */
  private void order(String name, AttachedVolume.Operation<Boolean> operation) {
    var unused =
        operate(name, operation)
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    LOG.debug("engine {}: order not carried out: {}", name, failure.getMessage());
                  }
                  tryReport(name);
                });
  }

  private void tryReport(String name) {
    try {
      report(name);
    } catch (StorageException e) {
      LOG.debug("engine {}: status not written: {}", name, e.getMessage());
    }
  }

  /** Lets a path go to a better engine, if it could not before. */
  void catchUp(String name) {
    Optional.ofNullable(paths.get(name)).ifPresent(LocalAttachedVolume::catchUp);
  }

  /** How volumes went from engine to engine. */
  EngineReplacements replacements() {
    return replacements;
  }

  /** Returns how many volumes an engine has open. */
  int served(EngineProvider engine) {
    return (int)
        paths.values().stream()
            .filter(path -> path.usedEngine().filter(used -> used == engine).isPresent())
            .count();
  }

  /** Returns the names of the engines that volumes wait for, one for each volume. */
  List<String> awaited() {
    return paths.values().stream().flatMap(path -> path.awaitedEngine().stream()).toList();
  }

  @Override
  public Optional<Portal> portal() {
    return portal;
  }

  /** Limits what hosts may use of the volume of a path. */
  void limit(String name, IoLimits limits) {
    LocalAttachedVolume path = paths.get(name);
    if (path != null) {
      path.limit(limits);
    }
  }

  /** Says whether trims of the volume of a path give up snapshots. */
  void reclaim(String name, boolean enabled) {
    LocalAttachedVolume path = paths.get(name);
    if (path != null) {
      path.reclaim(enabled);
    }
  }

  /** Brings the export of a path to a frontend, empty for none. */
  void publish(String name, String frontend) {
    LocalAttachedVolume path = paths.get(name);
    if (path == null) {
      return;
    }
    Optional<Portal> present = portal;
    if (frontend.isEmpty()) {
      path.withdraw();
    } else if (present.isPresent()) {
      path.publish(
          present.get(), frontend, new StoreExportState(this::store, name, node, path::letsIn));
    } else {
      path.publishImpossible(
          new StorageException(
              ErrorCode.UNSUPPORTED,
              "engine " + name + ": no portal is installed: install its bundle"));
    }
  }

  /** Begins to close a path; it is gone when that is done. */
  void close(String name) {
    var unused = closing(name);
  }

  private CompletableFuture<Void> closing(String name) {
    LocalAttachedVolume path = paths.get(name);
    return path == null ? CompletableFuture.completedFuture(null) : path.close();
  }

  /** Writes down how an engine is here; what is not open here is not reported. */
  void report(String name) throws StorageException {
    LocalAttachedVolume path = paths.get(name);
    Optional<ResourceStore> present = store;
    if (path == null || present.isEmpty()) {
      return;
    }
    EngineReporter.report(present.get(), name, engine -> told(engine, path.status()));
  }

  /** Once this node said stopped another may have claimed it: then it is theirs to tell. */
  private dev.holdfast.resource.volume.Engine told(
      dev.holdfast.resource.volume.Engine engine, AttachedVolumeStatus view) {
    if (engine.status().nodeID().equals(node)) {
      return engine.withStatus(
          EngineStatuses.of(engine, view, node, clock.instant())
              .withRebuildStatus(orders.status(engine)));
    }
    return engine.status().migrationNodeID().equals(node)
        ? engine.withStatus(EngineStatuses.forwarding(engine, view, clock.instant()))
        : engine;
  }

  @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
  public void addPortal(Portal arrived) {
    portal = Optional.of(arrived);
    frontendArrived();
  }

  public void removePortal(Portal leaving) {
    if (portal.filter(present -> present == leaving).isPresent()) {
      portal = Optional.empty();
    }
    forAll("portal", path -> path.portalLeaving(leaving));
  }

  @Override
  public void engineArrived(String name) {
    paths.values().forEach(path -> path.engineArrived(name));
  }

  @Override
  public void frontendArrived() {
    paths.values().forEach(LocalAttachedVolume::frontendArrived);
  }

  @Override
  public void engineLeaving(EngineProvider engine) {
    forAll("engine " + engine.name(), path -> path.engineLeaving(engine));
  }

  /** Closes all paths permanently. */
  void closeAll() {
    stopping = true;
    List<CompletableFuture<Void>> closing = new ArrayList<>();
    paths.keySet().forEach(name -> closing.add(closing(name)));
    await("all volumes", closing);
  }

  private void forAll(
      String leaving, Function<LocalAttachedVolume, CompletableFuture<Void>> action) {
    await(leaving, paths.values().stream().map(action).toList());
  }

  private static void await(String what, List<CompletableFuture<Void>> steps) {
    try {
      CompletableFuture.allOf(steps.toArray(CompletableFuture<?>[]::new))
          .get(LONGEST_STEP.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("{}: not everything is closed after {}: {}", what, LONGEST_STEP, String.valueOf(e));
    }
  }

  /** Reports the changes of one path; what cannot be written now, the reconciler writes later. */
  private final class Reports implements LocalAttachedVolume.Observer {
    private final String name;

    Reports(String name) {
      this.name = name;
    }

    @Override
    public void changed() {
      tryReport(name);
    }

    @Override
    public void closed(LocalAttachedVolume path) {
      changed();
      paths.remove(name, path);
      orders.forget(name);
    }
  }
}
