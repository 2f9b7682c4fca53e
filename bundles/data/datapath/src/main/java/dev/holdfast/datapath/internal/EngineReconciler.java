package dev.holdfast.datapath.internal;

import dev.holdfast.block.filter.IoLimits;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.ActiveEngines;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.datapath.ClaimedNode;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.NodeEngineReconciler;
import dev.holdfast.datapath.ReplicaPlaces;
import dev.holdfast.datapath.internal.hosts.ExportHosts;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Opens and closes the volumes of the engines that name this node.
 *
 * <p>The store has the wanted state of an engine; {@link AttachedVolumes} has the open volumes.
 * Each call compares the two and starts one step, which runs on the volume's own thread and reports
 * its end. After a restart no volume is open, so every wanted engine is claimed and opened again.
 */
@Component(
    service = Reconciler.class,
    reference = @Reference(name = "claim", service = ClaimedNode.class))
public final class EngineReconciler implements NodeEngineReconciler {
  private static final Duration AT_ONCE = Duration.ofMillis(100);
  private static final Duration NEXT_TURN = Duration.ofMillis(25);
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration PROGRESS = Duration.ofSeconds(2);
  private static final Duration PERIOD = Duration.ofSeconds(5);

  /** Period for updating hosts: hosts of an export lose their rights within 5 s. */
  private static final Duration HOSTS = Duration.ofSeconds(4);

  private final LocalAttachedVolumes volumes;
  private final InstalledPlugins plugins;
  private final OpenQueue order;
  private final LeftExports leftExports;

  /**
   * Creates a reconciler.
   *
   * @param volumes the attached volumes of this node
   * @param plugins the engines that are installed
   * @param order order in which volumes open when the node starts
   */
  @Activate
  public EngineReconciler(
      @Reference LocalAttachedVolumes volumes,
      @Reference InstalledPlugins plugins,
      @Reference OpenQueue order) {
    this.volumes = volumes;
    this.plugins = plugins;
    this.order = order;
    this.leftExports = new LeftExports(plugins, volumes.executor());
  }

  @Override
  public String name() {
    return "engine";
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    return List.of(
        new Watched<>(
            Replica.KIND, replica -> ActiveEngines.namesOf(replica.spec().volume(), context)),
        new Watched<>(Volume.KIND, volume -> List.of()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Instant now = context.clock().instant();
    Optional<Engine> found = context.get(Engine.KIND, name);
    Optional<LocalAttachedVolume> attached = volumes.find(name);
    Optional<AttachedVolumeStatus> status = attached.map(LocalAttachedVolume::status);
    EngineStep step = EngineStep.next(found, status, context.nodeName(), now);
    LeftExports.Finding left = left(name, found, attached, context);
    if (left == LeftExports.Finding.PENDING || left == LeftExports.Finding.UNKNOWN) {
      return Result.after(left == LeftExports.Finding.PENDING ? AT_ONCE : SOON);
    }
    // Read once: an engine that arrives between two reads would bypass the open queue.
    boolean installed = found.filter(plugins::hasEngineOf).isPresent();
    boolean adopts = left == LeftExports.Finding.SERVING;
    if (step.opens() && installed && !adopts && !order.isDue(name, context)) {
      return Result.after(NEXT_TURN);
    }
    return make(step, new EngineView(name, found, attached, status, installed), context);
  }

  /**
   * An engine as one call finds it.
   *
   * @param status status of the attached volume, by which the step was chosen
   * @param installed whether this node has the engine's plugin
   */
  private record EngineView(
      String name,
      Optional<Engine> found,
      Optional<LocalAttachedVolume> attached,
      Optional<AttachedVolumeStatus> status,
      boolean installed) {
    Engine engine() {
      return found.orElseThrow();
    }

    LocalAttachedVolume volume() {
      return attached.orElseThrow();
    }
  }

  private Result make(EngineStep step, EngineView view, ReconcileContext context)
      throws StorageException {
    return switch (step) {
      case IGNORE -> Result.DONE;
      case AWAIT_OTHER_NODE -> Result.after(SOON);
      case CLAIM -> open(claim(view.engine(), context), view.installed(), context);
      case OPEN, TAKE_OVER -> open(view.engine(), view.installed(), context);
      case CLAIM_FORWARDING, CLAIM_SERVING -> forward(claim(step, view.engine(), context));
      case FORWARD -> forward(view.engine());
      case REDIRECT -> {
        view.volume().takeOver(forwarding(view.engine()));
        yield Result.after(SOON);
      }
      case PUBLISH -> {
        view.volume().publish(EngineStep.wantedFrontend(view.engine().spec()));
        yield Result.after(SOON);
      }
      case CLOSE -> {
        var unused = view.volume().close();
        volumes.report(view.volume());
        yield Result.after(AT_ONCE);
      }
      case RELEASE -> {
        volumes.activity().forget(view.name());
        yield release(view.engine(), context);
      }
      case RELEASE_FORWARDING -> {
        EngineReporter.report(context.store(), view.name(), e -> released(e, context.nodeName()));
        yield Result.DONE;
      }
      case REPORT -> report(view, context);
    };
  }

  private Result report(EngineView view, ReconcileContext context) throws StorageException {
    if (view.attached().isPresent()) {
      keep(view.volume(), view.found(), context);
    }
    boolean rebuilding = volumes.commands().isRebuilding(view.name());
    return Result.after(
        rebuilding ? PROGRESS : view.status().map(EngineReconciler::pause).orElse(SOON));
  }

  private LeftExports.Finding left(
      String name,
      Optional<Engine> found,
      Optional<LocalAttachedVolume> attached,
      ReconcileContext context)
      throws StorageException {
    if (attached.isPresent() || found.isEmpty()) {
      leftExports.forget(name);
      return LeftExports.Finding.NONE;
    }
    return leftExports.settle(found.get(), context);
  }

  /** Repeats settings that an open volume may have missed, and reports its status. */
  private void keep(LocalAttachedVolume attached, Optional<Engine> found, ReconcileContext context)
      throws StorageException {
    if (attached.status().phase() == AttachedVolumeStatus.Phase.OPEN) {
      Engine engine = found.orElseThrow();
      attached.catchUp();
      orderReplicas(attached, engine, context);
      attached.admit(Set.copyOf(engine.spec().forwardingNodes()));
      volumes.activity().observe(engine.name(), attached.requests(), context.clock().instant());
    }
    volumes.report(attached);
  }

  private void orderReplicas(LocalAttachedVolume attached, Engine engine, ReconcileContext context)
      throws StorageException {
    EngineSpec spec = engine.spec();
    boolean copied =
        context
            .get(Volume.KIND, spec.volume())
            .filter(v -> v.metadata().hasFinalizer(CloneSource.NEEDED_FINALIZER))
            .isPresent();
    attached.reclaim(spec.unmapMarkSnapChainRemoved() && !copied);
    Optional<Replica> target =
        context
            .get(Replica.KIND, spec.rebuildReplica())
            .filter(replica -> replica.spec().failedAt().isEmpty() && !replica.isBeingDeleted())
            .filter(replica -> replica.status().provisioned());
    Optional<ReplicaCommands.Order> order = Optional.empty();
    if (target.isPresent()) {
      order =
          Optional.of(
              new ReplicaCommands.Order(
                  new ReplicaPlaces(
                          plugins.engine(spec.dataEngine()),
                          context.nodeName(),
                          node -> context.get(Node.KIND, node))
                      .of(target.get()),
                  spec.rebuildAttempt(),
                  new RebuildOptions(spec.rebuildBytesPerSecond().bytes())));
    }
    volumes.commands().rebuild(engine.name(), order);
    volumes.commands().remove(engine.name(), spec.removedReplicas());
  }

  /** A volume reports its changes itself; this poll covers lost reports and retries. */
  private static Duration pause(AttachedVolumeStatus status) {
    return switch (status.phase()) {
      case OPEN, FORWARDING ->
          status.failure().isEmpty()
              ? (ExportHosts.change(status.frontend()) ? HOSTS : PERIOD)
              : SOON;
      case OPENING, HELD, FAILED -> SOON;
      case CLOSING, CLOSED -> AT_ONCE;
    };
  }

  /**
   * Recorded before the opening, so that other nodes do not open the engine and clients do not
   * delete it.
   */
  private static Engine claim(Engine engine, ReconcileContext context) throws StorageException {
    Engine claimed = engine;
    if (!engine.metadata().hasFinalizer(EngineStep.FINALIZER)) {
      claimed =
          context
              .store()
              .update(engine.withMetadata(engine.metadata().plusFinalizer(EngineStep.FINALIZER)));
    }
    EngineStatus status =
        EngineStatuses.claimed(claimed, context.nodeName(), context.clock().instant());
    return context.store().updateStatus(claimed.withStatus(status));
  }

  private Result open(Engine engine, boolean installed, ReconcileContext context)
      throws StorageException {
    String volume = engine.spec().volume();
    try {
      OpenRequestFactory requests =
          new OpenRequestFactory(volumes::store, plugins, context.nodeName(), engine);
      requests.requireReplicas(engine);
      OpenParameters how =
          new OpenParameters(
              engine.spec().dataEngine(), requests, EngineStep.wantedFrontend(engine.spec()));
      IoLimits limits = limits(volume, context);
      Optional<LocalAttachedVolume> attached = volumes.find(engine.name());
      if (attached.filter(EngineReconciler::forwards).isPresent()) {
        attached.get().takeOver(how);
      } else if (attached.isEmpty() && !installed) {
        throw EngineBinding.notInstalled(volume, engine.spec().dataEngine());
      } else {
        volumes
            .obtain(engine.name(), volume)
            .ifPresent(
                opened -> {
                  opened.limit(limits);
                  opened.open(how);
                });
      }
    } catch (StorageException e) {
      blocked(engine, e, context);
    }
    return Result.after(SOON);
  }

  /** An export of the engine starts with the limits, because they decide whether it can be used. */
  private static IoLimits limits(String volume, ReconcileContext context) throws StorageException {
    Optional<Volume> cached = context.get(Volume.KIND, volume);
    Optional<Volume> found = cached.isPresent() ? cached : context.store().get(Volume.KIND, volume);
    return found.map(VolumeLimits::of).orElse(IoLimits.NONE);
  }

  private static boolean forwards(LocalAttachedVolume attached) {
    return attached.status().phase() == AttachedVolumeStatus.Phase.FORWARDING;
  }

  /** Recorded before anything is served, so that the volume never appears unserved. */
  private static Engine claim(EngineStep step, Engine engine, ReconcileContext context)
      throws StorageException {
    String node = context.nodeName();
    EngineStatus claimed =
        step == EngineStep.CLAIM_SERVING
            ? ForwardingStatuses.serving(engine.status(), node)
            : ForwardingStatuses.migrating(engine.status(), node);
    return context.store().updateStatus(engine.withStatus(claimed));
  }

  private static OpenParameters forwarding(Engine engine) {
    return OpenParameters.forward(engine.spec().dataEngine(), engine.spec().nodeID());
  }

  private Result forward(Engine engine) {
    OpenParameters how = forwarding(engine);
    volumes.obtain(engine.name(), engine.spec().volume()).ifPresent(attached -> attached.open(how));
    return Result.after(SOON);
  }

  /** A node that continues to serve, but does not take the volume over, keeps its other entry. */
  private static Engine released(Engine engine, String node) {
    return engine.withStatus(
        engine.spec().servingNodeIDs().contains(node)
            ? ForwardingStatuses.withoutMigration(engine.status(), node)
            : ForwardingStatuses.without(engine.status(), node));
  }

  private void blocked(Engine engine, StorageException why, ReconcileContext context)
      throws StorageException {
    Optional<LocalAttachedVolume> attached = volumes.find(engine.name());
    if (attached.isPresent()) {
      volumes.report(attached.get());
      return;
    }
    EngineStatus status = EngineStatuses.blocked(engine, why, context.clock().instant());
    if (!status.equals(engine.status())) {
      context.store().updateStatus(engine.withStatus(status));
    }
  }

  private Result release(Engine engine, ReconcileContext context) throws StorageException {
    EngineStatus status = EngineStatuses.stopped(engine, context.clock().instant());
    Engine stopped = engine;
    if (!status.equals(engine.status())) {
      stopped = context.store().updateStatus(engine.withStatus(status));
    }
    if (stopped.metadata().hasFinalizer(EngineStep.FINALIZER)) {
      context
          .store()
          .update(stopped.withMetadata(stopped.metadata().minusFinalizer(EngineStep.FINALIZER)));
    }
    return Result.DONE;
  }
}
