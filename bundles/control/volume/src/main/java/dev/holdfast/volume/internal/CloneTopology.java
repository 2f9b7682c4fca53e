package dev.holdfast.volume.internal;

import dev.holdfast.resource.volume.CloneMethod;
import dev.holdfast.resource.volume.CloneMode;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.LinkState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Relation of a volume's replicas to the replicas of its source. */
final class CloneTopology {
  private final Volume volume;
  private final CloneStatus status;

  CloneTopology(Volume volume) {
    this.volume = volume;
    this.status = volume.status().cloneStatus();
  }

  /** Returns whether unusable replicas must be removed before others are created. */
  boolean mustGo() {
    return volume.awaitsContent() && status.method() == CloneMethod.UNLINK;
  }

  /**
   * Returns whether an existing replica was made from the right content. An empty replica must not
   * count if the others share a snapshot, because it would pass for their copy.
   */
  boolean isMadeRight(Replica replica) {
    if (!volume.awaitsContent() || replica.spec().witness()) {
      return true;
    }
    return switch (status.method()) {
      case UNDECIDED, COPY -> true;
      case LINK -> replica.status().link().says(LinkState.LINKED, status.snapshotUID());
      case UNLINK -> false;
    };
  }

  /** Returns the disks with a replica of the source, on which a replica could share its content. */
  Set<Placement.Target> preferred(List<Replica> existing) {
    if (volume.spec().cloneSource().isEmpty()
        || !volume.awaitsContent()
        || volume.spec().cloneMode() != CloneMode.LINKED_CLONE) {
      return Set.of();
    }
    String source = volume.spec().cloneSource().get().volume();
    return existing.stream()
        .filter(replica -> replica.spec().volume().equals(source))
        .filter(replica -> replica.spec().failedAt().isEmpty() && !replica.isBeingDeleted())
        .map(Replica::spec)
        .filter(spec -> !spec.witness())
        .map(
            spec ->
                new Placement.Target(
                    spec.nodeID(), spec.diskID(), spec.diskPath(), spec.diskUUID()))
        .collect(Collectors.toSet());
  }
}
