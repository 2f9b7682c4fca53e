package dev.holdfast.attachment.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.node.EngineDeclaration;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.ServingNode;
import dev.holdfast.share.ShareManager;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Reports an engine as stopped on behalf of an unreachable node, if the engine had to stop or move,
 * so that its volume can be opened on another node.
 *
 * <p>An engine must stop only when tickets no longer hold its volume there; this class never
 * removes tickets. It is unknown whether the engine really stopped, because its node may be dead,
 * or only isolated and still serving. The engine's declared fencing makes this safe. With {@code
 * REPLICAS}, the engine that opens next raises the volume's generation in the store and makes every
 * replica reject the old one. The new engine serves only after it has reached enough replicas to
 * prove that the old one cannot acknowledge further writes. Otherwise it refuses to open. With
 * {@code DISK_LOCK}, it does not open before its node holds the lock of the disk. If nodes declare
 * different forms of fencing, or one that this version does not know, this class waits for the
 * node. A returning node finds that the engine belongs to another node and closes its own.
 *
 * <p>A node whose share moved because of missing reports counts as unreachable for the volume of
 * that share, because nodes with shares report more often than others.
 */
@Component(service = Reconciler.class)
public final class LostEngineReconciler implements Reconciler<Engine> {
  static final String REASON = "NodeLost";

  private static final Duration PERIOD = Duration.ofMinutes(5);

  /** Creates the reconciler. */
  @Activate
  public LostEngineReconciler() {}

  @Override
  public String name() {
    return "lost-engine";
  }

  @Override
  public ResourceKind<Engine> kind() {
    return Engine.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    return List.of(
        Watched.wakingAll(Node.KIND),
        new Watched<>(ShareManager.KIND, share -> enginesOf(share.name(), context)));
  }

  private static List<String> enginesOf(String volume, ReconcileContext context) {
    return context.list(Engine.KIND, LabelSelector.ALL).stream()
        .filter(engine -> engine.spec().volume().equals(volume))
        .map(Engine::name)
        .toList();
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Engine> cached = context.get(Engine.KIND, name);
    if (cached.isEmpty()) {
      return Result.DONE;
    }
    forgetForwarding(cached.get(), context);
    if (!isAwaited(cached.get()) || !isLost(cached.get(), context::get)) {
      return Result.after(PERIOD);
    }
    Optional<Engine> stored = context.store().get(Engine.KIND, name).filter(e -> isAwaited(e));
    if (stored.isEmpty() || !isLost(stored.get(), context.store()::get)) {
      return Result.after(PERIOD);
    }
    if (!isFenced(stored.get(), context)) {
      return Result.after(PERIOD);
    }
    Engine stopped = stopped(stored.get(), context.clock().instant());
    context.store().updateStatus(stopped);
    context
        .events()
        .warning(
            stopped,
            REASON,
            "node "
                + nodeOf(stopped)
                + " is silent: the volume may be attached elsewhere, where the replicas"
                + " refuse the engine that was there");
    return Result.after(PERIOD);
  }

  /**
   * Returns whether fencing is known. Otherwise only the node itself can report that it closed its
   * engine.
   */
  private static boolean isFenced(Engine engine, ReconcileContext context) throws StorageException {
    EngineDeclaration declared =
        EngineDeclaration.of(
            engine.spec().dataEngine(), context.store().list(Node.KIND, LabelSelector.ALL).items());
    if (!declared.isFenced()) {
      context
          .events()
          .warning(
              engine,
              "FencingUnknown",
              "node "
                  + nodeOf(engine)
                  + " is silent and may still write: nodes declare "
                  + declared.fencings()
                  + " as the fencing of engine "
                  + engine.spec().dataEngine()
                  + ": install one version of it on all nodes, or bring the node back");
    }
    return declared.isFenced();
  }

  /**
   * Stops waiting for an unreachable node that must stop forwarding. The engine rejects its
   * requests, so they have no effect.
   */
  private static void forgetForwarding(Engine cached, ReconcileContext context)
      throws StorageException {
    boolean seen =
        cached.status().forwardingNodes().stream()
            .anyMatch(node -> forwardsInVain(cached, node, context.get(Node.KIND, node)));
    Optional<Engine> stored =
        seen ? context.store().get(Engine.KIND, cached.name()) : Optional.empty();
    if (stored.isEmpty()) {
      return;
    }
    EngineStatus status = stored.get().status();
    for (String node : stored.get().status().forwardingNodes()) {
      if (forwardsInVain(stored.get(), node, context.store().get(Node.KIND, node))) {
        status = without(status, node);
      }
    }
    if (!status.equals(stored.get().status())) {
      context.store().updateStatus(stored.get().withStatus(status));
    }
  }

  private static EngineStatus without(EngineStatus status, String node) {
    Map<String, ServingNode> serving = new TreeMap<>(status.servingNodes());
    serving.remove(node);
    EngineStatus next = status.withServingNodes(serving);
    return next.migrationNodeID().equals(node)
        ? next.withMigrationNodeID("").withMigrationEndpoint("")
        : next;
  }

  private static boolean forwardsInVain(Engine engine, String forwarding, Optional<Node> node) {
    boolean wanted =
        engine.spec().desireState() == DesireState.RUNNING
            && (engine.spec().forwardingNodes().contains(forwarding)
                || engine.spec().nodeID().equals(forwarding));
    return !wanted && isLost(node);
  }

  private static String nodeOf(Engine engine) {
    return engine.status().nodeID();
  }

  /** Returns whether a node that claimed the engine must still report the close. */
  static boolean isAwaited(Engine engine) {
    boolean said =
        engine.status().currentState() == InstanceState.STOPPED
            && engine.status().observedGeneration() == engine.metadata().generation();
    boolean awaited =
        switch (engine.spec().desireState()) {
          case STOPPED -> !said;
          // Another node must open the engine after this one has closed it.
          case RUNNING ->
              !engine.spec().nodeID().equals(nodeOf(engine))
                  && engine.status().currentState() != InstanceState.STOPPED;
        };
    return awaited && !nodeOf(engine).isEmpty() && engine.metadata().hasFinalizer(Engine.FINALIZER);
  }

  /** Reads resources from the cache or the store. */
  private interface Reader {
    <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
        throws StorageException;
  }

  private static boolean isLost(Engine engine, Reader reader) throws StorageException {
    return isLost(reader.get(Node.KIND, nodeOf(engine)))
        || reader
            .get(ShareManager.KIND, engine.spec().volume())
            .filter(share -> share.hasLeftSilent(nodeOf(engine)))
            .isPresent();
  }

  private static boolean isLost(Optional<Node> node) {
    return node.filter(found -> !BlockedReason.isLost(found)).isEmpty();
  }

  private static Engine stopped(Engine engine, Instant now) {
    return engine.withStatus(
        engine
            .status()
            .withCurrentState(InstanceState.STOPPED)
            .withEndpoint("")
            .withConditions(
                Condition.with(
                    engine.status().conditions(),
                    Condition.READY,
                    Condition.Status.FALSE,
                    REASON,
                    "node " + nodeOf(engine) + " does not report",
                    now))
            .withObservedGeneration(engine.metadata().generation()));
  }
}
