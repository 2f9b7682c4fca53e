package dev.holdfast.volume.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.InstanceState;
import dev.holdfast.resource.Replica;
import dev.holdfast.resource.ReplicaStatus;
import dev.holdfast.resource.ResourceKind;
import java.util.Optional;

/**
 * A node's part in making, running and removing replicas. It defends itself by nothing, so that a
 * controller's mistake shows.
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
    if (replica.isBeingDeleted()) {
      if (replica.metadata().hasFinalizer(FINALIZER)) {
        world.delete(replica);
        context.store().update(replica.withMetadata(replica.metadata().minusFinalizer(FINALIZER)));
      }
      return Result.DONE;
    }
    if (!replica.status().provisioned()) {
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
}
