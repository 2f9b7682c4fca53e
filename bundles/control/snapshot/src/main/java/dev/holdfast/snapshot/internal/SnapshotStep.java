package dev.holdfast.snapshot.internal;

import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotStatus;
import java.util.Optional;

/** The next step of a snapshot whose volume is open on this node. */
enum SnapshotStep {
  /** The snapshot is as requested, or can only wait. */
  NOTHING,
  /** Record the request to the engine before it is sent. */
  REQUEST,
  /** Let the engine take the snapshot. */
  TAKE,
  /** Record the engine's report. */
  RECORD,
  /** Record that the snapshot is lost. */
  LOSE,
  /**
   * Delete the resource, because the engine removed the snapshot without a request by the resource.
   */
  DISCARD,
  /** Record that the resource describes no existing snapshot. */
  REFUSE,
  /** Let the engine remove the snapshot. */
  REMOVE,
  /** Release the resource, because the engine has deleted the snapshot. */
  RELEASE,
  /** Make the snapshot the volume's content. */
  REVERT,
  /** Export the snapshot to hosts, or end the export. */
  SHOW,
  /** Report its differences from another snapshot. */
  COMPARE,
  /** Compare the snapshot with its checksums. */
  SCRUB;

  /**
   * Decides the next step.
   *
   * @param snapshot the resource
   * @param listed the open volume's entry of it; empty if the volume does not have it
   * @param sizeBytes of the volume's device
   */
  static SnapshotStep next(Snapshot snapshot, Optional<SnapshotInfo> listed, long sizeBytes) {
    if (snapshot.isBeingDeleted()) {
      return leaving(snapshot, listed, sizeBytes);
    }
    if (listed.isPresent()) {
      return present(snapshot, listed.get(), sizeBytes);
    }
    SnapshotStatus status = snapshot.status();
    if (!status.error().isEmpty()) {
      return NOTHING;
    }
    if (status.creationTime().isPresent()) {
      return status.markRemoved() ? DISCARD : LOSE;
    }
    if (!snapshot.spec().createSnapshot()) {
      return REFUSE;
    }
    return snapshot.isRequested() ? TAKE : REQUEST;
  }

  private static SnapshotStep leaving(
      Snapshot snapshot, Optional<SnapshotInfo> listed, long sizeBytes) {
    if (!snapshot.isRequested() || snapshot.isNeeded()) {
      return NOTHING;
    }
    if (listed.isEmpty()) {
      return RELEASE;
    }
    if (!listed.get().removed()) {
      return REMOVE;
    }
    return recorded(snapshot, listed.get(), sizeBytes) ? NOTHING : RECORD;
  }

  private static SnapshotStep present(Snapshot snapshot, SnapshotInfo listed, long sizeBytes) {
    if (!snapshot.isRequested()) {
      return REQUEST;
    }
    if (!recorded(snapshot, listed, sizeBytes)) {
      return RECORD;
    }
    SnapshotStatus status = snapshot.status();
    if (status.revert().isPending(snapshot.spec().revertRequest())) {
      return REVERT;
    }
    if (snapshot.spec().exported() == status.endpoint().isEmpty()) {
      return SHOW;
    }
    if (snapshot.isAskedForChanges()) {
      return COMPARE;
    }
    return status.scrub().isPending(snapshot.spec().scrubRequest()) ? SCRUB : NOTHING;
  }

  private static boolean recorded(Snapshot snapshot, SnapshotInfo listed, long sizeBytes) {
    return SnapshotStatuses.of(snapshot.status(), listed, sizeBytes).equals(snapshot.status());
  }
}
