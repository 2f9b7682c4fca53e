package dev.holdfast.attachment.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.resource.volume.VolumeStatus;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Simulates a volume controller whose engines can serve on two nodes while the volume moves. */
record MovingVolumeAgent(MovingWorld world, Random random) implements Reconciler<Volume> {
  static final List<String> ENGINES = List.of("v-e-0", "v-e-1");
  private static final int SLOW_MILLIS = 2_000;

  @Override
  public String name() {
    return "volume-agent";
  }

  @Override
  public ResourceKind<Volume> kind() {
    return Volume.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(new Watched<>(Engine.KIND, engine -> List.of(engine.spec().volume())));
  }

  /** Returns the engine that joins another one; empty if the volume does not move. */
  static String second(ResourceStore store) throws StorageException {
    Volume volume = store.get(Volume.KIND, "v").orElseThrow();
    String target =
        volume.spec().migrationNodeID().isEmpty()
            ? volume.status().currentMigrationNodeID()
            : volume.spec().migrationNodeID();
    for (String name : ENGINES) {
      Engine engine = store.get(Engine.KIND, name).orElseThrow();
      if (!target.isEmpty() && engine.spec().nodeID().equals(target)) {
        return name;
      }
    }
    return "";
  }

  /** Returns the number of engines with a spec that requests running. */
  static long running(ResourceStore store) throws StorageException {
    long running = 0;
    for (String name : ENGINES) {
      Engine engine = store.get(Engine.KIND, name).orElseThrow();
      running += engine.spec().desireState() == DesireState.RUNNING ? 1 : 0;
    }
    return running;
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Volume> volume = context.store().get(Volume.KIND, name);
    if (volume.isPresent()) {
      step(volume.get(), context);
    }
    return Result.after(Duration.ofMillis(1 + random.nextInt(SLOW_MILLIS)));
  }

  private void step(Volume volume, ReconcileContext context) throws StorageException {
    String wanted = volume.spec().nodeID();
    VolumeStatus status = volume.status();
    boolean confirmed =
        status.state() == VolumeState.ATTACHED
            && !wanted.isEmpty()
            && status.currentMigrationNodeID().equals(wanted);
    if (confirmed && !status.currentNodeID().equals(wanted)) {
      world.takeOver(wanted);
      write(volume, status.withCurrentNodeID(wanted), context);
    } else if (status.state() == VolumeState.ATTACHED && status.currentNodeID().equals(wanted)) {
      move(volume, context);
    } else if (!wanted.isEmpty()
        && status.currentNodeID().isEmpty()
        && (status.state() == VolumeState.DETACHED || status.state() == VolumeState.ATTACHING)) {
      attach(volume, context);
    } else {
      detach(volume, context);
    }
  }

  private static void move(Volume volume, ReconcileContext context) throws StorageException {
    String present = volume.spec().nodeID();
    String target = volume.spec().migrationNodeID();
    for (String name : ENGINES) {
      Engine engine = context.store().get(Engine.KIND, name).orElseThrow();
      boolean serves = engine.spec().nodeID().equals(present);
      if (serves) {
        continue;
      }
      if (target.isEmpty()) {
        if (stop(engine, context)) {
          write(volume, volume.status().withCurrentMigrationNodeID(""), context);
        }
      } else if (start(engine, target, context)) {
        write(volume, volume.status().withCurrentMigrationNodeID(target), context);
      } else if (volume.status().currentMigrationNodeID().equals(target)) {
        write(volume, volume.status().withCurrentMigrationNodeID(""), context);
      }
    }
  }

  private static void attach(Volume volume, ReconcileContext context) throws StorageException {
    String wanted = volume.spec().nodeID();
    Engine engine = context.store().get(Engine.KIND, ENGINES.get(0)).orElseThrow();
    VolumeStatus status = volume.status();
    write(
        volume,
        start(engine, wanted, context)
            ? status.withState(VolumeState.ATTACHED).withCurrentNodeID(wanted)
            : status.withState(VolumeState.ATTACHING),
        context);
  }

  private static void detach(Volume volume, ReconcileContext context) throws StorageException {
    boolean closed = true;
    for (String name : ENGINES) {
      closed &= stop(context.store().get(Engine.KIND, name).orElseThrow(), context);
    }
    VolumeStatus status = volume.status();
    write(
        volume,
        closed
            ? status
                .withState(VolumeState.DETACHED)
                .withCurrentNodeID("")
                .withCurrentMigrationNodeID("")
            : status.withState(VolumeState.DETACHING),
        context);
  }

  /** Starts an engine. Returns whether it runs on the node. */
  private static boolean start(Engine engine, String node, ReconcileContext context)
      throws StorageException {
    boolean told =
        engine.spec().desireState() == DesireState.RUNNING && engine.spec().nodeID().equals(node);
    if (!told) {
      if (stop(engine, context)) {
        context
            .store()
            .update(
                engine.withSpec(
                    engine.spec().withNodeID(node).withDesireState(DesireState.RUNNING)));
      }
      return false;
    }
    return engine.status().currentState() == InstanceState.RUNNING
        && engine.status().nodeID().equals(node);
  }

  /** Stops an engine. Returns whether it is known to be closed. */
  private static boolean stop(Engine engine, ReconcileContext context) throws StorageException {
    if (engine.spec().desireState() == DesireState.RUNNING || !engine.spec().nodeID().isEmpty()) {
      if (engine.spec().desireState() == DesireState.RUNNING) {
        context.store().update(engine.withSpec(engine.spec().withDesireState(DesireState.STOPPED)));
        return false;
      }
      if (LostEngineReconciler.isAwaited(engine)) {
        return false;
      }
      context.store().update(engine.withSpec(engine.spec().withNodeID("")));
      return false;
    }
    return true;
  }

  private static void write(Volume volume, VolumeStatus status, ReconcileContext context)
      throws StorageException {
    if (!status.equals(volume.status())) {
      context.store().updateStatus(volume.withStatus(status));
    }
  }
}
