package dev.holdfast.clone.internal;

import dev.holdfast.resource.volume.CloneMethod;
import dev.holdfast.resource.volume.CloneMode;
import dev.holdfast.resource.volume.LinkState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import java.util.List;
import java.util.Optional;

/**
 * Decides how a clone gets its content, from the status of its replicas; pure. Either all of its
 * first replicas are made of one snapshot, or all are made empty: one of each would be two
 * contents.
 *
 * @param copy the volume
 * @param replicas all that it has, those that are being deleted too
 * @param snapshotUID uid of the snapshot
 */
record CloneDecision(Volume copy, List<Replica> replicas, String snapshotUID) {
  CloneDecision {
    replicas = List.copyOf(replicas);
  }

  private List<Replica> copies() {
    return replicas.stream().filter(replica -> !replica.spec().witness()).toList();
  }

  /**
   * The method of a copy for which there is none: undecided while a replica is missing or has not
   * reported whether it can share the snapshot.
   */
  CloneMethod first() {
    boolean shareable =
        copy.spec().cloneMode() == CloneMode.LINKED_CLONE
            && copy.status().state() == VolumeState.CREATING;
    if (!shareable || copies().stream().anyMatch(this::mustBeCopied)) {
      return CloneMethod.COPY;
    }
    boolean all =
        isComplete()
            && copies().stream()
                .allMatch(r -> r.status().link().says(LinkState.POSSIBLE, snapshotUID));
    return all ? CloneMethod.LINK : CloneMethod.UNDECIDED;
  }

  /** Returns whether all replicas are created; on a disk that several nodes see, one. */
  private boolean isComplete() {
    return copies().size() >= copy.spec().numberOfReplicas()
        || copies().stream().anyMatch(Replica::isOnSharedDisk);
  }

  /** Returns whether the replica exists, so that it was made empty. */
  private boolean mustBeCopied(Replica replica) {
    return replica.wasProvisioned()
        || replica.status().link().says(LinkState.IMPOSSIBLE, snapshotUID);
  }

  /** Why a replica cannot be made of the snapshot as was decided; empty while all may be. */
  Optional<String> failure() {
    return copies().stream().flatMap(replica -> failure(replica).stream()).findFirst();
  }

  private Optional<String> failure(Replica replica) {
    if (replica.status().link().says(LinkState.IMPOSSIBLE, snapshotUID)) {
      return Optional.of(replica.status().link().message());
    }
    return replica.wasProvisioned() && !isLinked(replica)
        ? Optional.of("replica " + replica.name() + " was made empty")
        : Optional.empty();
  }

  private boolean isLinked(Replica replica) {
    return replica.status().link().says(LinkState.LINKED, snapshotUID);
  }

  /** Returns whether all replicas are made of the snapshot and no further first one can appear. */
  boolean isLinked() {
    return copy.status().state() != VolumeState.CREATING
        && !copies().isEmpty()
        && copies().stream().allMatch(this::isLinked);
  }

  /** Whether all its replicas were deleted after they were made. */
  boolean isWithoutReplica() {
    return copy.status().state() != VolumeState.CREATING && copies().isEmpty();
  }
}
