package dev.holdfast.volume.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.DesireState;
import dev.holdfast.resource.Engine;
import dev.holdfast.resource.EngineStatus;
import dev.holdfast.resource.InstanceState;
import dev.holdfast.resource.Replica;
import dev.holdfast.resource.ReplicaMode;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * A node's part in opening and closing engines, as the contract of Engine has it: it records its
 * claim (the finalizer) before it opens, and says stopped only when all is closed. It defends
 * itself by nothing else, so that a controller's mistake shows.
 */
final class EngineAgent implements Reconciler<Engine> {
  private static final String FINALIZER = "holdfast.dev/engine";

  private final DataPathWorld world;
  private final Random random;

  EngineAgent(DataPathWorld world, String node, Random random) {
    this.world = world;
    this.random = random;
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
  public List<Watched<?>> watches() {
    return List.of(new Watched<>(Replica.KIND, replica -> List.of()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Engine> found = context.get(Engine.KIND, name);
    if (found.isEmpty()) {
      return Result.DONE;
    }
    Engine engine = found.get();
    String node = context.nodeName();
    boolean wanted =
        !engine.isBeingDeleted()
            && engine.spec().desireState() == DesireState.RUNNING
            && engine.spec().nodeID().equals(node);
    boolean open = world.isOpen(engine.spec().volume(), node);
    if (wanted) {
      return open ? report(engine, context) : open(engine, context);
    }
    if (open) {
      world.close(engine.spec().volume(), node);
    }
    boolean running = engine.status().currentState() != InstanceState.STOPPED;
    boolean named =
        engine.status().nodeID().equals(node) || (engine.spec().nodeID().equals(node) && !running);
    boolean ours = named && (running || engine.metadata().hasFinalizer(FINALIZER));
    if (open || ours) {
      release(engine, context);
    }
    return Result.DONE;
  }

  private Result open(Engine engine, ReconcileContext context) throws StorageException {
    String node = context.nodeName();
    boolean claimed =
        engine.metadata().hasFinalizer(FINALIZER)
            && engine.status().nodeID().equals(node)
            && engine.status().currentState() == InstanceState.STARTING;
    if (!claimed) {
      Engine held =
          context.store().update(engine.withMetadata(engine.metadata().plusFinalizer(FINALIZER)));
      status(held, InstanceState.STARTING, "", Map.of(), context);
      return Result.after(Duration.ofMillis(random.nextInt(500)));
    }
    if (random.nextInt(4) == 0) {
      return Result.after(Duration.ofMillis(random.nextInt(3_000)));
    }
    world.open(engine.spec().volume(), node);
    return report(engine, context);
  }

  private Result report(Engine engine, ReconcileContext context) throws StorageException {
    Map<String, ReplicaMode> modes = new TreeMap<>();
    for (Replica replica :
        context.list(
            Replica.KIND, LabelSelector.label("holdfast.dev/volume", engine.spec().volume()))) {
      if (replica.spec().failedAt().isEmpty()) {
        modes.put(replica.name(), ReplicaMode.RW);
      }
    }
    String endpoint =
        engine.spec().disableFrontend() ? "" : "nbd://" + context.nodeName() + "/" + engine.name();
    status(engine, InstanceState.RUNNING, endpoint, modes, context);
    return Result.after(Duration.ofSeconds(5));
  }

  private static void release(Engine engine, ReconcileContext context) throws StorageException {
    Engine stopped = status(engine, InstanceState.STOPPED, "", Map.of(), context);
    context.store().update(stopped.withMetadata(stopped.metadata().minusFinalizer(FINALIZER)));
  }

  private static Engine status(
      Engine engine,
      InstanceState state,
      String endpoint,
      Map<String, ReplicaMode> modes,
      ReconcileContext context)
      throws StorageException {
    EngineStatus status =
        engine
            .status()
            .withCurrentState(state)
            .withNodeID(context.nodeName())
            .withEndpoint(endpoint)
            .withReplicaModeMap(modes)
            .withObservedGeneration(engine.metadata().generation());
    return status.equals(engine.status())
        ? engine
        : context.store().updateStatus(engine.withStatus(status));
  }
}
