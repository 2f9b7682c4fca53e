package dev.holdfast.volume.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeState;
import dev.holdfast.resource.deletion.DeletedVolumeStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.volume.internal.deleted.DeletedVolumeFacts;
import dev.holdfast.volume.internal.deleted.DeletedVolumePlanner;
import dev.holdfast.volume.internal.deleted.DeletedVolumePolicy;
import dev.holdfast.volume.internal.deleted.DeletedVolumeStep;
import dev.holdfast.volume.internal.deleted.KeptVolume;
import dev.holdfast.volume.internal.deleted.VolumeParts;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Retains the content of deleted volumes, restores volumes from it, and removes expired content. It
 * decides on an uncached read, executes one step per call, and repeats the last step after a crash.
 */
@Component(service = Reconciler.class)
public final class DeletedVolumeReconciler implements Reconciler<DeletedVolume> {
  private static final Duration PERIOD = Duration.ofMinutes(5);
  private static final Duration SOON = Duration.ofMillis(100);
  private static final Duration RETRY = Duration.ofSeconds(10);

  private final DeletedVolumePolicy policy;

  /** Creates the reconciler. */
  @Activate
  public DeletedVolumeReconciler() {
    this(new DeletedVolumePlanner());
  }

  DeletedVolumeReconciler(DeletedVolumePolicy policy) {
    this.policy = policy;
  }

  @Override
  public String name() {
    return "deleted-volume";
  }

  @Override
  public ResourceKind<DeletedVolume> kind() {
    return DeletedVolume.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(
        new Watched<>(Volume.KIND, volume -> List.of(volume.name())),
        new Watched<>(Engine.KIND, engine -> List.of(engine.spec().volume())),
        new Watched<>(Replica.KIND, replica -> List.of(replica.spec().volume())),
        Watched.wakingAll(Node.KIND));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    if (context.get(DeletedVolume.KIND, name).isEmpty()) {
      return Result.DONE;
    }
    Optional<DeletedVolume> stored = context.store().get(DeletedVolume.KIND, name);
    if (stored.isEmpty()) {
      return Result.DONE;
    }
    DeletedVolume deleted = stored.get();
    VolumeParts parts = VolumeParts.of(name, context).ownedBy(deleted);
    DeletedVolumeStep step =
        policy.next(
            new DeletedVolumeFacts(
                deleted,
                context.store().get(Volume.KIND, name),
                !parts.isEmpty(),
                !parts.engines().isEmpty() || !parts.replicas().isEmpty(),
                context.clock().instant()));
    return take(step, deleted, parts, context);
  }

  private static Result take(
      DeletedVolumeStep step, DeletedVolume deleted, VolumeParts parts, ReconcileContext context)
      throws StorageException {
    switch (step.action()) {
      case WAIT -> {
        String obstacle =
            step.obstacle().isEmpty() ? drained(deleted, parts, context) : step.obstacle();
        record(deleted, deleted.status().withMessage(obstacle), context);
        return Result.after(
            step.pause().filter(pause -> pause.compareTo(PERIOD) < 0).orElse(PERIOD));
      }
      case KEEP -> become(DeletedVolumeState.KEPT, kept(deleted), deleted, context);
      case RESTORE ->
          become(DeletedVolumeState.RESTORING, "its deletion is taken back", deleted, context);
      case PURGE ->
          become(
              DeletedVolumeState.PURGING,
              deleted.isBeingDeleted()
                  ? "a client requested the removal of its content"
                  : "the retention period of its content has passed",
              deleted,
              context);
      case CREATE_VOLUME -> create(deleted, context);
      case RESTORE_STATUS -> {
        Optional<Volume> volume = context.store().get(Volume.KIND, deleted.name());
        if (volume.filter(deleted::isSourceOf).isPresent()) {
          context.store().updateStatus(KeptVolume.withState(volume.get(), deleted));
        }
      }
      case RETURN_PARTS -> {
        Optional<Volume> volume = context.store().get(Volume.KIND, deleted.name());
        if (volume.filter(deleted::isSourceOf).isPresent()) {
          parts.give(volume.get(), context);
        }
      }
      case REMOVE_PARTS -> {
        remove(parts, context);
        return Result.after(RETRY);
      }
      case FORGET -> {
        forget(deleted, context);
        return Result.DONE;
      }
    }
    return Result.after(SOON);
  }

  /**
   * Explains why disks are not drained: a replica leaves its disk only while its volume is open.
   */
  private static String drained(
      DeletedVolume deleted, VolumeParts parts, ReconcileContext context) {
    NodeInventory nodes = NodeInventory.of(context.list(Node.KIND, LabelSelector.ALL));
    List<String> staying =
        parts.replicas().stream().filter(nodes::isEvicting).map(Replica::name).sorted().toList();
    return staying.isEmpty()
        ? ""
        : "replicas "
            + String.join(", ", staying)
            + " stay on disks that are to be drained: take the deletion back with 'holdfast volume"
            + " undelete "
            + deleted.name()
            + "', or remove the content with 'holdfast volume purge "
            + deleted.name()
            + "'";
  }

  private static String kept(DeletedVolume deleted) {
    return "its content is kept until "
        + deleted.spec().purgeAt().map(Object::toString).orElse("it is purged")
        + ": take the deletion back with 'holdfast volume undelete "
        + deleted.name()
        + "'";
  }

  private static void become(
      DeletedVolumeState state, String why, DeletedVolume deleted, ReconcileContext context)
      throws StorageException {
    record(deleted, DeletedVolumeStatus.EMPTY.withState(state), context);
    context.events().normal(deleted, state.name().charAt(0) + state.toString().substring(1), why);
  }

  private static void record(
      DeletedVolume deleted, DeletedVolumeStatus status, ReconcileContext context)
      throws StorageException {
    if (!status.equals(deleted.status())) {
      context.store().updateStatus(deleted.withStatus(status));
    }
  }

  /**
   * Creates the volume. An existing one was created before a crash, or the next step handles it.
   */
  private static void create(DeletedVolume deleted, ReconcileContext context)
      throws StorageException {
    try {
      context.store().create(KeptVolume.volume(deleted));
    } catch (StorageException e) {
      if (e.code() != ErrorCode.ALREADY_EXISTS) {
        throw e;
      }
    }
  }

  /** Removes the parts: the engine before the data of the replicas. */
  private static void remove(VolumeParts parts, ReconcileContext context) throws StorageException {
    if (!parts.engines().isEmpty()) {
      for (Engine engine : parts.engines()) {
        delete(engine, context.store());
      }
      return;
    }
    NodeInventory nodes =
        NodeInventory.of(context.store().list(Node.KIND, LabelSelector.ALL).items());
    for (Replica replica : new ReplicaOwners(parts.replicas(), nodes, "").chosen(List.of())) {
      context.store().updateStatus(replica);
    }
    for (Replica replica : parts.replicas()) {
      if (!replica.isBeingDeleted()) {
        delete(replica, context.store());
      } else if (nodes.isNodeGone(replica) && replica.metadata().hasFinalizer(Replica.FINALIZER)) {
        // The data of the replicas was lost with the deleted node.
        context
            .store()
            .update(replica.withMetadata(replica.metadata().minusFinalizer(Replica.FINALIZER)));
      }
    }
  }

  private static void forget(DeletedVolume deleted, ReconcileContext context)
      throws StorageException {
    DeletedVolume leaving = deleted;
    if (!deleted.isBeingDeleted()) {
      Optional<DeletedVolume> marked =
          context.store().delete(DeletedVolume.KIND, deleted.name(), deleted.metadata().uid());
      if (marked.isEmpty()) {
        return;
      }
      leaving = marked.get();
    }
    context
        .store()
        .update(leaving.withMetadata(leaving.metadata().minusFinalizer(DeletedVolume.FINALIZER)));
    reportEnd(deleted, context);
  }

  private static void reportEnd(DeletedVolume deleted, ReconcileContext context)
      throws StorageException {
    if (deleted.status().state() == DeletedVolumeState.PURGING) {
      context.events().normal(deleted, "Purged", "the content of the deleted volume is removed");
      return;
    }
    Optional<Volume> volume = context.store().get(Volume.KIND, deleted.name());
    if (volume.filter(deleted::isSourceOf).isPresent()) {
      context
          .events()
          .normal(
              volume.get(),
              "Undeleted",
              "the volume exists again with the content that it had when it was deleted");
    }
  }

  private static <R extends Resource<R>> void delete(R part, ResourceStore store)
      throws StorageException {
    if (part.isBeingDeleted()) {
      return;
    }
    try {
      store.delete(part.resourceKind(), part.name(), part.metadata().uid());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
  }
}
