package dev.holdfast.volume.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.ServingNode;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Simulates a node while a volume moves or several nodes serve it: it has the engine open, or
 * forwards to the node that has it open.
 */
final class MigrationAgent implements Reconciler<Engine> {
  private static final String FINALIZER = "holdfast.dev/engine";
  private static final int SLOW_MILLIS = 2_000;

  /** Omissions of a defective node. */
  enum Defect {
    /** Opens a volume that another node has not closed. */
    OPENS_BESIDE,
    /** Admits a node that may no longer forward. */
    LETS_IN_FOR_EVER
  }

  private final MigrationWorld world;
  private final Random random;
  private final Set<Defect> defects;

  MigrationAgent(MigrationWorld world, String node, Random random, Set<Defect> defects) {
    this.world = world;
    this.random = random;
    this.defects = defects;
    world.started(node);
  }

  @Override
  public String name() {
    return "engine-agent";
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
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Engine> engine = context.get(Engine.KIND, name);
    if (engine.isPresent() && !world.isUnheard(context.nodeName())) {
      step(engine.get(), context);
    }
    return Result.after(Duration.ofMillis(1 + random.nextInt(SLOW_MILLIS)));
  }

  private void step(Engine engine, ReconcileContext context) throws StorageException {
    String node = context.nodeName();
    boolean runs = engine.spec().desireState() == DesireState.RUNNING;
    if (runs && engine.spec().nodeID().equals(node)) {
      own(engine, context);
    } else if (runs && engine.spec().forwardingNodes().contains(node)) {
      forward(engine, context);
    } else {
      leave(engine, context);
    }
  }

  private void own(Engine engine, ReconcileContext context) throws StorageException {
    String node = context.nodeName();
    EngineStatus status = engine.status();
    boolean free =
        status.nodeID().isEmpty()
            || status.currentState() == InstanceState.STOPPED
            || defects.contains(Defect.OPENS_BESIDE);
    boolean ours = status.nodeID().equals(node) && status.currentState() != InstanceState.STOPPED;
    if (ours) {
      if (!world.isCurrent(node)) {
        world.open(node);
      }
      Set<String> admitted = new TreeSet<>(engine.spec().forwardingNodes());
      if (defects.contains(Defect.LETS_IN_FOR_EVER)) {
        admitted.addAll(world.admitted(node));
      }
      world.admit(node, admitted);
      write(engine, serving(engine, context), context);
    } else if (free) {
      Engine claimed =
          engine.metadata().hasFinalizer(FINALIZER)
              ? engine
              : context
                  .store()
                  .update(engine.withMetadata(engine.metadata().plusFinalizer(FINALIZER)));
      write(claimed, state(claimed, InstanceState.STARTING, node), context);
    }
  }

  private static EngineStatus serving(Engine engine, ReconcileContext context)
      throws StorageException {
    String node = context.nodeName();
    Map<String, ReplicaMode> modes = new TreeMap<>();
    context
        .store()
        .list(Replica.KIND, LabelSelector.label("holdfast.dev/volume", engine.spec().volume()))
        .items()
        .forEach(replica -> modes.put(replica.name(), ReplicaMode.RW));
    EngineStatus status =
        state(engine, InstanceState.RUNNING, node)
            .withEndpoint("nbd://" + node)
            .withReplicaModeMap(modes)
            .withCurrentSize(engine.spec().size());
    return released(status, node);
  }

  private static EngineStatus released(EngineStatus status, String node) {
    EngineStatus next = withoutEntry(status, node);
    return next.migrationNodeID().equals(node)
        ? next.withMigrationNodeID("").withMigrationEndpoint("")
        : next;
  }

  private static EngineStatus withoutEntry(EngineStatus status, String node) {
    Map<String, ServingNode> nodes = new TreeMap<>(status.servingNodes());
    nodes.remove(node);
    return status.withServingNodes(nodes);
  }

  private static EngineStatus withEntry(EngineStatus status, String node, String endpoint) {
    Map<String, ServingNode> nodes = new TreeMap<>(status.servingNodes());
    nodes.put(node, ServingNode.EMPTY.withEndpoint(endpoint));
    return status.withServingNodes(nodes);
  }

  private void forward(Engine engine, ReconcileContext context) throws StorageException {
    String node = context.nodeName();
    EngineStatus status = engine.status();
    if (world.isOpen(node)) {
      world.close(node);
    } else if (engine.spec().servingNodeIDs().contains(node)) {
      serve(engine, context);
    } else if (status.migrationNodeID().isEmpty()) {
      write(engine, status.withMigrationNodeID(node).withMigrationEndpoint(""), context);
    } else if (status.migrationNodeID().equals(node)
        && world.forward(node, engine.spec().nodeID())) {
      EngineStatus serves = withoutEntry(status, node);
      write(engine, serves.withMigrationEndpoint("nbd://" + node), context);
    }
  }

  /** Serves as one of several nodes, and follows the volume to another owner. */
  private void serve(Engine engine, ReconcileContext context) throws StorageException {
    String node = context.nodeName();
    EngineStatus status = engine.status();
    if (status.migrationNodeID().equals(node)) {
      write(engine, status.withMigrationNodeID("").withMigrationEndpoint(""), context);
    } else if (!status.servingNodes().containsKey(node)) {
      write(engine, withEntry(status, node, ""), context);
    } else if (world.forward(node, engine.spec().nodeID())) {
      write(engine, withEntry(status, node, "nbd://" + node), context);
    }
  }

  private void leave(Engine engine, ReconcileContext context) throws StorageException {
    String node = context.nodeName();
    EngineStatus status = engine.status();
    if (world.isOpen(node)) {
      world.close(node);
    } else if (world.tries(node)) {
      world.stopForwarding(node);
    } else if (mustAnswer(engine, node)) {
      write(engine, state(engine, InstanceState.STOPPED, node), context);
      Engine stopped = context.store().get(Engine.KIND, engine.name()).orElseThrow();
      if (stopped.spec().equals(engine.spec())
          && stopped.status().nodeID().equals(node)
          && stopped.metadata().hasFinalizer(FINALIZER)) {
        context.store().update(stopped.withMetadata(stopped.metadata().minusFinalizer(FINALIZER)));
      }
    } else if (status.forwardingNodes().contains(node)) {
      write(engine, released(status, node), context);
    }
  }

  /**
   * Returns whether the node must report, even if its request to open was withdrawn before it
   * opened.
   */
  private static boolean mustAnswer(Engine engine, String node) {
    EngineStatus status = engine.status();
    boolean stopped = status.currentState() == InstanceState.STOPPED;
    boolean ours =
        status.nodeID().equals(node) && (!stopped || engine.metadata().hasFinalizer(FINALIZER));
    return ours
        || (stopped
            && engine.spec().nodeID().equals(node)
            && status.observedGeneration() != engine.metadata().generation());
  }

  private static EngineStatus state(Engine engine, InstanceState state, String node) {
    return engine
        .status()
        .withCurrentState(state)
        .withNodeID(node)
        .withEndpoint("")
        .withObservedGeneration(engine.metadata().generation());
  }

  private static void write(Engine engine, EngineStatus status, ReconcileContext context)
      throws StorageException {
    if (!status.equals(engine.status())) {
      context.store().updateStatus(engine.withStatus(status));
    }
  }
}
