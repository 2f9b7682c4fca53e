package dev.holdfast.snapshot.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotStatus;
import dev.holdfast.resource.volume.Volume;
import java.time.Duration;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Releases the snapshot resources of deleted volumes, because their data was deleted with the
 * replicas and no engine will list them again. A later volume of the same name is a different
 * volume.
 */
@Component(service = Reconciler.class)
public final class SnapshotOwnerReconciler implements Reconciler<Snapshot> {
  private static final Duration PERIOD = Duration.ofSeconds(15);

  /** Creates the reconciler. */
  @Activate
  public SnapshotOwnerReconciler() {}

  @Override
  public String name() {
    return "snapshot-owner";
  }

  @Override
  public ResourceKind<Snapshot> kind() {
    return Snapshot.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Snapshot> cached = context.get(Snapshot.KIND, name);
    if (cached.isEmpty()) {
      return Result.DONE;
    }
    String volume = cached.get().spec().volume();
    if (belongs(cached.get(), context.get(Volume.KIND, volume))
        || isKept(cached.get(), context.get(DeletedVolume.KIND, volume))) {
      return Result.after(PERIOD);
    }
    // Reads the store, because a stale cache must not remove the resource of a snapshot.
    Optional<Snapshot> stored = context.store().get(Snapshot.KIND, name);
    if (stored.isEmpty()
        || belongs(stored.get(), context.store().get(Volume.KIND, volume))
        || isKept(stored.get(), context.store().get(DeletedVolume.KIND, volume))
        || !stored.equals(context.store().get(Snapshot.KIND, name))) {
      // A snapshot that changed between the reads may have got its current owner in between.
      return Result.after(PERIOD);
    }
    return stored.get().isRequested()
        ? release(stored.get(), context)
        : tell(stored.get(), context);
  }

  private static boolean belongs(Snapshot snapshot, Optional<Volume> volume) {
    return volume.isPresent()
        && snapshot.metadata().ownerReferences().stream()
            .filter(owner -> owner.kind().equals(Volume.KIND.kind()))
            .allMatch(owner -> owner.uid().equals(volume.get().metadata().uid()));
  }

  /**
   * Returns whether a deleted volume keeps the snapshot, which returns when the volume is restored.
   */
  private static boolean isKept(Snapshot snapshot, Optional<DeletedVolume> deleted) {
    return deleted.isPresent()
        && snapshot.metadata().ownerReferences().stream()
            .anyMatch(owner -> owner.uid().equals(deleted.get().metadata().uid()));
  }

  private static Result release(Snapshot snapshot, ReconcileContext context)
      throws StorageException {
    Snapshot leaving = snapshot;
    if (!snapshot.isBeingDeleted()) {
      Optional<Snapshot> deleted =
          context.store().delete(Snapshot.KIND, snapshot.name(), snapshot.metadata().uid());
      if (deleted.isEmpty()) {
        return Result.DONE;
      }
      leaving = deleted.get();
    }
    context
        .store()
        .update(leaving.withMetadata(leaving.metadata().minusFinalizer(Snapshot.FINALIZER)));
    return Result.DONE;
  }

  /**
   * Reports a snapshot whose volume does not exist and for which no engine received a request: the
   * user may have mistyped the name.
   */
  private static Result tell(Snapshot snapshot, ReconcileContext context) throws StorageException {
    String message = "volume " + snapshot.spec().volume() + " does not exist";
    SnapshotStatus status = snapshot.status().withMessage(message);
    if (!status.equals(snapshot.status())) {
      context.store().updateStatus(snapshot.withStatus(status));
    }
    return Result.after(PERIOD);
  }
}
