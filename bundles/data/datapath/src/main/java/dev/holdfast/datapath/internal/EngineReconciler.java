package dev.holdfast.datapath.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.datapath.ClaimedNode;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.ReplicaPlaces;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
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
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Opens and closes the data paths of the engines that name this node.
 *
 * <p>What an engine shall do stands in the store; what is open stands in {@link AttachedVolumes}.
 * Each call compares the two and makes one step, which runs on the path's own thread and reports
 * when it is done. After a restart nothing is open, so what shall run is claimed and opened again.
 */
@Component(
    service = Reconciler.class,
    reference = @Reference(name = "claim", service = ClaimedNode.class))
public final class EngineReconciler implements Reconciler<Engine> {
  private static final Duration AT_ONCE = Duration.ofMillis(100);
  private static final Duration NEXT_TURN = Duration.ofMillis(25);
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration PROGRESS = Duration.ofSeconds(2);
  private static final Duration PERIOD = Duration.ofSeconds(5);

  private final LocalAttachedVolumes paths;
  private final InstalledPlugins plugins;
  private final OpenQueue order;

  /**
   * Creates a reconciler.
   *
   * @param volumes the attached volumes of this node
   * @param plugins the engines that are installed
   * @param order in which volumes open when the node starts
   */
  @Activate
  public EngineReconciler(
      @Reference LocalAttachedVolumes volumes,
      @Reference InstalledPlugins plugins,
      @Reference OpenQueue order) {
    this.paths = volumes;
    this.plugins = plugins;
    this.order = order;
  }

  @Override
  public String name() {
    return "engine";
  }

  @Override
  public ResourceKind<Engine> kind() {
    return Engine.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(
        new Watched<>(Replica.KIND, replica -> List.of(Engine.nameFor(replica.spec().volume()))));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    paths.use(context.store(), context.clock(), context.nodeName());
    Instant now = context.clock().instant();
    Optional<Engine> found = context.get(Engine.KIND, name);
    Optional<AttachedVolumeStatus> path = paths.view(name);
    EngineStep step = EngineStep.next(found, path, context.nodeName(), now);
    // Asked once: one that comes in between would open its volume out of turn.
    boolean installed = found.filter(plugins::hasEngineOf).isPresent();
    if (step.opens() && installed && !order.isDue(name, context)) {
      return Result.after(NEXT_TURN);
    }
    return switch (step) {
      case IGNORE -> Result.DONE;
      case AWAIT_OTHER_NODE -> Result.after(SOON);
      case CLAIM -> open(claim(found.orElseThrow(), context), installed, context);
      case OPEN, TAKE_OVER -> open(found.orElseThrow(), installed, context);
      case CLAIM_FORWARDING -> forward(claimForwarding(found.orElseThrow(), context));
      case FORWARD -> forward(found.orElseThrow());
      case PUBLISH -> {
        paths.publish(name, EngineStep.wantedFrontend(found.orElseThrow().spec()));
        yield Result.after(SOON);
      }
      case CLOSE -> {
        paths.close(name);
        paths.report(name);
        yield Result.after(AT_ONCE);
      }
      case RELEASE -> {
        paths.activity().forget(name);
        yield release(found.orElseThrow(), context);
      }
      case RELEASE_FORWARDING -> {
        EngineReporter.report(context.store(), name, e -> released(e, context.nodeName()));
        yield Result.DONE;
      }
      case REPORT -> {
        if (path.filter(view -> view.phase() == AttachedVolumeStatus.Phase.OPEN).isPresent()) {
          paths.catchUp(name);
          orderReplicas(found.orElseThrow(), context);
          paths.admit(name, found.orElseThrow().spec().migrationNodeID());
          paths.activity().observe(name, paths.requests(name), now);
        }
        paths.report(name);
        boolean rebuilding = paths.orders().isRebuilding(name);
        yield Result.after(rebuilding ? PROGRESS : path.map(EngineReconciler::pause).orElse(SOON));
      }
    };
  }

  private void orderReplicas(Engine engine, ReconcileContext context) throws StorageException {
    EngineSpec spec = engine.spec();
    boolean copied =
        context
            .get(Volume.KIND, spec.volume())
            .filter(v -> v.metadata().hasFinalizer(CloneSource.NEEDED_FINALIZER))
            .isPresent();
    paths.reclaim(engine.name(), spec.unmapMarkSnapChainRemoved() && !copied);
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
    paths.orders().rebuild(engine.name(), order);
    paths.orders().remove(engine.name(), spec.removedReplicas());
  }

  /** A path reports its changes itself; this is for reports that were lost, and for retries. */
  private static Duration pause(AttachedVolumeStatus view) {
    return switch (view.phase()) {
      case OPEN, FORWARDING -> view.failure().isEmpty() ? PERIOD : SOON;
      case OPENING, HELD, FAILED -> SOON;
      case CLOSING, CLOSED -> AT_ONCE;
    };
  }

  /**
   * Recorded before anything is opened, so that no other node opens it and no client deletes it.
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
          new OpenRequestFactory(paths::store, plugins, context.nodeName(), engine);
      requests.requireReplicas(engine);
      OpenParameters how = new OpenParameters(engine.spec().dataEngine(), requests);
      Optional<AttachedVolumeStatus> path = paths.view(engine.name());
      if (path.filter(view -> view.phase() == AttachedVolumeStatus.Phase.FORWARDING).isPresent()) {
        paths.takeOver(engine.name(), how);
      } else if (path.isEmpty() && !installed) {
        throw EngineBinding.notInstalled(volume, engine.spec().dataEngine());
      } else {
        paths.open(engine.name(), volume, how);
      }
    } catch (StorageException e) {
      blocked(engine, e, context);
    }
    return Result.after(SOON);
  }

  /** Recorded before anything is served, so that the volume never appears unserved. */
  private static Engine claimForwarding(Engine engine, ReconcileContext context)
      throws StorageException {
    return context
        .store()
        .updateStatus(
            engine.withStatus(
                engine.status().withMigrationNodeID(context.nodeName()).withMigrationEndpoint("")));
  }

  private Result forward(Engine engine) {
    paths.open(
        engine.name(),
        engine.spec().volume(),
        OpenParameters.forward(engine.spec().dataEngine(), engine.spec().nodeID()));
    return Result.after(SOON);
  }

  private static Engine released(Engine engine, String node) {
    return engine.status().migrationNodeID().equals(node)
        ? engine.withStatus(EngineStatuses.forwardsNoMore(engine.status()))
        : engine;
  }

  private void blocked(Engine engine, StorageException why, ReconcileContext context)
      throws StorageException {
    if (paths.view(engine.name()).isPresent()) {
      paths.report(engine.name());
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
