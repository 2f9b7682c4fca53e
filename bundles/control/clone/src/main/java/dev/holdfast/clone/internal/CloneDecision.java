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
 * Decides from the status of its replicas how a clone gets its content. A pure function. Either all
 * first replicas are made of one snapshot, or all are made empty, because a mixture would have two
 * different contents.
 *
 * @param copy the volume
 * @param replicas all its replicas, including those that are being deleted
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
   * Returns the method of a copy without a decision: undecided while a replica is missing or has
   * not reported whether it can share the snapshot.
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

  /**
   * Returns whether all replicas are created. A disk that several nodes share needs one replica.
   */
  private boolean isComplete() {
    return copies().size() >= copy.spec().numberOfReplicas()
        || copies().stream().anyMatch(Replica::isOnSharedDisk);
  }

  /** Returns whether the replica already exists and was therefore created empty. */
  private boolean mustBeCopied(Replica replica) {
    return replica.wasProvisioned()
        || replica.status().link().says(LinkState.IMPOSSIBLE, snapshotUID);
  }

  /**
   * Returns the reason why a replica cannot be made of the snapshot as decided; empty while all
   * can.
   */
  Optional<String> failure() {
    return copies().stream().flatMap(replica -> failure(replica).stream()).findFirst();
  }

  private Optional<String> failure(Replica replica) {
    if (replica.status().link().says(LinkState.IMPOSSIBLE, snapshotUID)) {
      return Optional.of(replica.status().link().message());
    }
    return replica.wasProvisioned() && !isLinked(replica)
        ? Optional.of("replica " + replica.name() + " was created without content")
        : Optional.empty();
  }

  private boolean isLinked(Replica replica) {
    return replica.status().link().says(LinkState.LINKED, snapshotUID);
  }

  /**
   * Returns whether all replicas are made of the snapshot and no further first replica can be
   * created.
   */
  boolean isLinked() {
    return copy.status().state() != VolumeState.CREATING
        && !copies().isEmpty()
        && copies().stream().allMatch(this::isLinked);
  }

  /** Returns whether all its replicas were deleted after their creation. */
  boolean isWithoutReplica() {
    return copy.status().state() != VolumeState.CREATING && copies().isEmpty();
  }
}
