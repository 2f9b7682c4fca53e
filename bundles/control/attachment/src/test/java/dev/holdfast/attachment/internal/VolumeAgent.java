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
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Attaches and detaches a volume by its spec, one write at a time, at random times. */
record VolumeAgent(Random random) implements Reconciler<Volume> {
  private static final int SLOW_MILLIS = 3_000;

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
    return Scope.NODE;
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(new Watched<>(Engine.KIND, engine -> List.of(engine.spec().volume())));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Volume> volume = context.store().get(Volume.KIND, name);
    Optional<Engine> engine = context.store().get(Engine.KIND, name + "-e-0");
    if (volume.isEmpty() || engine.isEmpty()) {
      return Result.DONE;
    }
    String wanted = volume.get().spec().nodeID();
    VolumeStatus status = volume.get().status();
    boolean elsewhere =
        engine.get().status().currentState() == InstanceState.RUNNING
            && !engine.get().status().nodeID().equals(wanted);
    if (!wanted.isEmpty()
        && !elsewhere
        && (status.state() == VolumeState.DETACHED || status.state() == VolumeState.ATTACHING)) {
      open(volume.get(), engine.get(), context);
    } else if (!status.currentNodeID().equals(wanted) || status.state() != VolumeState.ATTACHED) {
      close(volume.get(), engine.get(), context);
    }
    return Result.after(Duration.ofMillis(1 + random.nextInt(SLOW_MILLIS)));
  }

  private static void open(Volume volume, Engine engine, ReconcileContext context)
      throws StorageException {
    String node = volume.spec().nodeID();
    if (!engine.spec().nodeID().equals(node)) {
      context
          .store()
          .update(
              engine.withSpec(
                  engine
                      .spec()
                      .withNodeID(node)
                      .withDesireState(DesireState.RUNNING)
                      .withDisableFrontend(volume.spec().disableFrontend())));
    } else if (engine.status().currentState() != InstanceState.RUNNING) {
      context
          .store()
          .updateStatus(
              engine.withStatus(
                  engine
                      .status()
                      .withCurrentState(InstanceState.RUNNING)
                      .withNodeID(node)
                      .withEndpoint("nbd://" + node)));
    } else {
      status(volume, VolumeState.ATTACHED, node, context);
    }
  }

  private static void close(Volume volume, Engine engine, ReconcileContext context)
      throws StorageException {
    if (engine.status().currentState() != InstanceState.STOPPED) {
      context
          .store()
          .updateStatus(
              engine.withStatus(
                  engine.status().withCurrentState(InstanceState.STOPPED).withEndpoint("")));
    } else if (!engine.spec().nodeID().isEmpty()) {
      context
          .store()
          .update(
              engine.withSpec(engine.spec().withNodeID("").withDesireState(DesireState.STOPPED)));
    } else {
      status(volume, VolumeState.DETACHED, "", context);
    }
  }

  private static void status(
      Volume volume, VolumeState state, String current, ReconcileContext context)
      throws StorageException {
    VolumeStatus status = volume.status().withState(state).withCurrentNodeID(current);
    if (!status.equals(volume.status())) {
      context.store().updateStatus(volume.withStatus(status));
    }
  }
}
