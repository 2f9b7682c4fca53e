package dev.holdfast.node.internal;

import dev.holdfast.block.filter.GatedDevice;
import dev.holdfast.block.filter.IoLimits;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.time.Duration;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All data paths of this process: at most one for each engine. Thread-safe. */
final class AttachedVolumes implements InstalledPlugins.Observer {
  private static final Logger LOG = LoggerFactory.getLogger(AttachedVolumes.class);
  private static final Duration LONGEST_STEP = Duration.ofSeconds(60);

  private final InstalledPlugins plugins;
  private final Executor threads;
  private final Map<String, AttachedVolume> paths = new ConcurrentHashMap<>();
  private final EngineReplacements replacements = new EngineReplacements(() -> clock().instant());
  private final ReplicaCommands orders = new ReplicaCommands(this::order);
  private volatile Optional<Portal> portal = Optional.empty();
  private volatile Optional<ResourceStore> store = Optional.empty();
  private volatile Clock clock = Clock.systemUTC();
  private volatile String node = "";
  private volatile boolean stopping;

  AttachedVolumes(InstalledPlugins plugins, Executor threads) {
    this.plugins = plugins;
    this.threads = threads;
  }

  /** Threads for paths, as many as have something to do. */
  static ExecutorService threads() {
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

  ResourceStore store() {
    return store.orElseThrow();
  }

  Clock clock() {
    return clock;
  }

  /** Returns threads for what takes too long to keep a path waiting. */
  Executor executor() {
    return threads;
  }

  /** Returns the device of a path into which its first content is copied, if there is one. */
  Optional<CopyingDevice> copying(String name) {
    return Optional.ofNullable(paths.get(name)).flatMap(AttachedVolume::copying);
  }

  /** Returns how many requests hosts made of a volume since its path is there. */
  long requests(String name) {
    return Optional.ofNullable(paths.get(name)).map(AttachedVolume::requests).orElse(0L);
  }

  /** Returns how the engine of each path is doing. */
  List<EngineHealth> pulses() {
    return paths.values().stream().map(AttachedVolume::pulse).toList();
  }

  /** Returns the engines that have a path. */
  Set<String> names() {
    return Set.copyOf(paths.keySet());
  }

  Optional<PathView> view(String name) {
    return Optional.ofNullable(paths.get(name)).map(AttachedVolume::view);
  }

  /** Opens a path, or opens it again after a failure. */
  void open(String name, String volume, OpenParameters how) {
    if (!stopping) {
      paths
          .computeIfAbsent(
              name,
              key ->
                  new AttachedVolume(
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
    AttachedVolume path = paths.get(name);
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
    Optional.ofNullable(paths.get(name)).ifPresent(AttachedVolume::catchUp);
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

  /** Returns the snapshots that a path shows, for its operations; empty when it is gone. */
  Optional<SnapshotExports> snapshotExports(String name) {
    return Optional.ofNullable(paths.get(name)).map(AttachedVolume::snapshotExports);
  }

  /**
   * Holds the requests of the hosts of a path, for its operations.
   *
   * @throws StorageException BUSY, TIMEOUT; UNREACHABLE when it is not open here
   */
  GatedDevice.Hold hold(String name, Duration drain) throws StorageException {
    AttachedVolume path = paths.get(name);
    if (path == null) {
      throw new StorageException(
          ErrorCode.UNREACHABLE, "engine " + name + " is not open on this node");
    }
    return path.hold(drain);
  }

  Optional<Portal> portal() {
    return portal;
  }

  /** Limits what hosts may use of the volume of a path. */
  void limit(String name, IoLimits limits) {
    AttachedVolume path = paths.get(name);
    if (path != null) {
      path.limit(limits);
    }
  }

  /** Says whether trims of the volume of a path give up snapshots. */
  void reclaim(String name, boolean enabled) {
    AttachedVolume path = paths.get(name);
    if (path != null) {
      path.reclaim(enabled);
    }
  }

  /** Brings the export of a path to a frontend, empty for none. */
  void publish(String name, String frontend) {
    AttachedVolume path = paths.get(name);
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
    AttachedVolume path = paths.get(name);
    return path == null ? CompletableFuture.completedFuture(null) : path.close();
  }

  /** Writes down how an engine is here; what is not open here is not reported. */
  void report(String name) throws StorageException {
    AttachedVolume path = paths.get(name);
    Optional<ResourceStore> present = store;
    if (path == null || present.isEmpty()) {
      return;
    }
    EngineReporter.report(present.get(), name, engine -> told(engine, path.view()));
  }

  /** Once this node said stopped another may have claimed it: then it is theirs to tell. */
  private dev.holdfast.resource.volume.Engine told(
      dev.holdfast.resource.volume.Engine engine, PathView view) {
    if (engine.status().nodeID().equals(node)) {
      return engine.withStatus(
          EngineStatuses.of(engine, view, node, clock.instant())
              .withRebuildStatus(orders.status(engine)));
    }
    return engine.status().migrationNodeID().equals(node)
        ? engine.withStatus(EngineStatuses.forwarding(engine, view, clock.instant()))
        : engine;
  }

  void portalArrived(Portal arrived) {
    portal = Optional.of(arrived);
    frontendArrived();
  }

  void portalLeaving(Portal leaving) {
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
    paths.values().forEach(AttachedVolume::frontendArrived);
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

  private void forAll(String leaving, Function<AttachedVolume, CompletableFuture<Void>> action) {
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
  private final class Reports implements AttachedVolume.Observer {
    private final String name;

    Reports(String name) {
      this.name = name;
    }

    @Override
    public void changed() {
      tryReport(name);
    }

    @Override
    public void closed(AttachedVolume path) {
      changed();
      paths.remove(name, path);
      orders.forget(name);
    }
  }
}
