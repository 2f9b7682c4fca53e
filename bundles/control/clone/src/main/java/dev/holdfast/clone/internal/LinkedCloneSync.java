package dev.holdfast.clone.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.datapath.RegionCopyPlan;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.CloneMethod;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.util.List;
import java.util.Optional;

/**
 * Takes copies to replicas that share the content of their snapshot. After that decision for a
 * volume, its replicas may be linked at any time, on any node. Therefore only the deletion of all
 * replicas revokes the decision, and the volume is copied when no replica is left.
 */
final class LinkedCloneSync {
  private final ReconcileContext context;

  LinkedCloneSync(ReconcileContext context) {
    this.context = context;
  }

  /** Returns the status when the snapshot exists, and finalizers keep source and snapshot. */
  CloneStatus decided(CloneStatus known, Volume copy, Snapshot snapshot) throws StorageException {
    String uid = snapshot.metadata().uid();
    return switch (new CloneDecision(copy, replicas(copy), uid).first()) {
      case LINK -> known.withMethod(CloneMethod.LINK).withSnapshotUID(uid).withMessage("");
      case COPY -> copied(known, snapshot);
      case UNDECIDED, UNLINK -> known;
    };
  }

  private static CloneStatus copied(CloneStatus known, Snapshot snapshot) {
    Quantity size = snapshot.status().restoreSize();
    return known
        .withMethod(CloneMethod.COPY)
        .withSnapshotUID("")
        .withCopySize(size)
        .withRegionSize(RegionCopyPlan.regionSizeFor(size))
        .withMessage("");
  }

  /** Returns the status of a copy to be linked, computed from its replicas. */
  CloneStatus linked(Volume copy) throws StorageException {
    CloneStatus status = copy.status().cloneStatus();
    CloneDecision decision = new CloneDecision(copy, replicas(copy), status.snapshotUID());
    Optional<String> failure = decision.failure();
    if (failure.isPresent()) {
      return status
          .withMethod(CloneMethod.UNLINK)
          .withMessage("it is copied, because its replicas cannot be linked: " + failure.get());
    }
    if (decision.isLinked()) {
      return status.withState(CloneState.COMPLETED).withMessage("");
    }
    return decision.isWithoutReplica()
        ? status.withMessage("volume " + copy.name() + " has no replica left: delete it")
        : status;
  }

  /**
   * Records the image of the source in a copy that shares its content, because further replicas of
   * the copy are created on that image.
   *
   * @return whether it was recorded before
   */
  boolean hasImage(Volume copy) throws StorageException {
    Optional<Volume> source =
        context.store().get(Volume.KIND, copy.spec().cloneSource().orElseThrow().volume());
    return source.isEmpty() || settled(copy, source.get().spec().backingImage());
  }

  private boolean settled(Volume copy, String image) throws StorageException {
    if (copy.spec().backingImage().equals(image)) {
      return true;
    }
    context.store().update(copy.withSpec(copy.spec().withBackingImage(image)));
    return false;
  }

  /** Logs the decision about the replicas after it was recorded. */
  void tell(Volume copy, CloneStatus next) {
    if (next.method() == CloneMethod.UNLINK) {
      context.events().warning(copy, "CloneNotLinked", next.message());
    } else if (next.state() == CloneState.COMPLETED) {
      context.events().normal(copy, "Cloned", "its replicas share the content of its source");
    }
  }

  /** Returns the status of a copy whose replicas are being deleted. */
  CloneStatus unlinked(Volume copy) throws StorageException {
    CloneStatus status = copy.status().cloneStatus();
    if (!settled(copy, "")) {
      // The whole content is copied, including that of the image.
      return status;
    }
    List<Replica> left = replicas(copy);
    for (Replica replica : left) {
      if (!replica.isBeingDeleted()) {
        delete(replica);
      }
    }
    // The finalizer kept this snapshot for the copy before the decision to link it.
    Optional<Snapshot> snapshot =
        left.isEmpty() ? context.store().get(Snapshot.KIND, status.snapshot()) : Optional.empty();
    return snapshot
        .filter(s -> s.metadata().uid().equals(status.snapshotUID()))
        .map(s -> copied(status, s))
        .orElse(status);
  }

  private void delete(Replica replica) throws StorageException {
    try {
      context.store().delete(Replica.KIND, replica.name(), replica.metadata().uid());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
  }

  private List<Replica> replicas(Volume copy) throws StorageException {
    return context
        .store()
        .list(Replica.KIND, LabelSelector.label(Volume.LABEL, copy.name()))
        .items();
  }
}
