package dev.holdfast.volume.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import java.util.Optional;

/**
 * Simulates a node that creates, runs and removes replicas. It removes the data of a deleted
 * replica as soon as the controller permits it, without further checks, so that a mistake of a
 * controller has an effect.
 */
final class ReplicaAgent implements Reconciler<Replica> {
  private static final String FINALIZER = "holdfast.dev/replica-data";

  private final DataPathWorld world;

  ReplicaAgent(DataPathWorld world) {
    this.world = world;
  }

  @Override
  public String name() {
    return "replica-agent";
  }

  @Override
  public ResourceKind<Replica> kind() {
    return Replica.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Replica> found = context.get(Replica.KIND, name);
    if (found.isEmpty() || !found.get().spec().nodeID().equals(context.nodeName())) {
      return Result.DONE;
    }
    Replica replica = found.get();
    if (replica.isBeingDeleted() && mayGo(replica, context)) {
      if (replica.metadata().hasFinalizer(FINALIZER)) {
        world.delete(replica);
        context.store().update(replica.withMetadata(replica.metadata().minusFinalizer(FINALIZER)));
      }
      return Result.DONE;
    }
    if (!replica.status().provisioned() && !replica.isBeingDeleted()) {
      world.provision(replica);
    }
    ReplicaStatus status =
        replica
            .status()
            .withProvisioned(true)
            .withCurrentState(
                switch (replica.spec().desireState()) {
                  case RUNNING -> InstanceState.RUNNING;
                  case STOPPED -> InstanceState.STOPPED;
                });
    if (!status.equals(replica.status())) {
      context.store().updateStatus(replica.withStatus(status));
    }
    return Result.DONE;
  }

  /**
   * Returns whether the data may be removed, as a node decides it: by the controller's mark, or
   * because the volume has no data.
   */
  private static boolean mayGo(Replica replica, ReconcileContext context) throws StorageException {
    return replica.isDisposable()
        || context
            .store()
            .get(Volume.KIND, replica.spec().volume())
            .map(volume -> volume.status().state())
            .filter(state -> state != VolumeState.CREATING && state != VolumeState.DELETING)
            .isEmpty();
  }
}
