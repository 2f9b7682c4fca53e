package dev.holdfast.attachment.internal;

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
import java.time.Duration;
import java.util.Optional;
import java.util.Random;

/**
 * Simulates a node: claims an engine before it opens it, and closes engines that it does not own.
 */
record MovingEngineAgent(MovingWorld world, Random random) implements Reconciler<Engine> {
  private static final String FINALIZER = "holdfast.dev/engine";
  private static final int SLOW_MILLIS = 2_000;

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
    if (engine.isPresent() && !world.isDead(context.nodeName())) {
      step(engine.get(), context);
    }
    return Result.after(Duration.ofMillis(1 + random.nextInt(SLOW_MILLIS)));
  }

  private void step(Engine engine, ReconcileContext context) throws StorageException {
    String node = context.nodeName();
    EngineStatus status = engine.status();
    boolean ours = status.nodeID().equals(node);
    boolean wanted =
        engine.spec().desireState() == DesireState.RUNNING && engine.spec().nodeID().equals(node);
    if (wanted) {
      boolean free = status.nodeID().isEmpty() || status.currentState() == InstanceState.STOPPED;
      if (ours && status.currentState() != InstanceState.STOPPED) {
        open(engine, context);
      } else if (free) {
        claim(engine, context);
      }
    } else if (ours && LostEngineReconciler.isAwaited(engine)) {
      world.close(node);
      report(engine, InstanceState.STOPPED, "", context);
    } else if (!ours && world.isOpen(node) && !isOpenByAnother(engine, context)) {
      world.close(node);
    }
  }

  /** Returns whether the volume is open on this node by its other engine. */
  private static boolean isOpenByAnother(Engine engine, ReconcileContext context)
      throws StorageException {
    for (String name : MovingVolumeAgent.ENGINES) {
      Optional<Engine> other = context.store().get(Engine.KIND, name);
      if (!name.equals(engine.name())
          && other.isPresent()
          && other.get().status().nodeID().equals(context.nodeName())
          && other.get().status().currentState() != InstanceState.STOPPED) {
        return true;
      }
    }
    return false;
  }

  private void claim(Engine engine, ReconcileContext context) throws StorageException {
    Engine claimed = engine;
    if (!engine.metadata().hasFinalizer(FINALIZER)) {
      claimed =
          context.store().update(engine.withMetadata(engine.metadata().plusFinalizer(FINALIZER)));
    }
    report(claimed, InstanceState.STARTING, "", context);
  }

  private void open(Engine engine, ReconcileContext context) throws StorageException {
    String node = context.nodeName();
    if (!world.isCurrent(node)) {
      world.open(node, engine.name().equals(MovingVolumeAgent.second(context.store())));
    }
    report(engine, InstanceState.RUNNING, "nbd://" + node, context);
  }

  private static void report(
      Engine engine, InstanceState state, String endpoint, ReconcileContext context)
      throws StorageException {
    EngineStatus status =
        engine
            .status()
            .withCurrentState(state)
            .withNodeID(context.nodeName())
            .withEndpoint(endpoint)
            .withObservedGeneration(engine.metadata().generation());
    if (!status.equals(engine.status())) {
      context.store().updateStatus(engine.withStatus(status));
    }
  }
}
