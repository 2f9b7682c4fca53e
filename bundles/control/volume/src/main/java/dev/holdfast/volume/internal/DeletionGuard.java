package dev.holdfast.volume.internal;

import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.ReplicaSpec;
import java.util.List;

/**
 * Decides which replicas may be deleted with their data. A replica that was current may be deleted
 * only if another one is known to be current: the running engine reports it, its node is alive, and
 * it was rebuilt after its last failure. Missing reports prove nothing.
 */
final class DeletionGuard {
  private final VolumeView view;

  DeletionGuard(VolumeView view) {
    this.view = view;
  }

  boolean mayDelete(Replica replica) {
    boolean isMember = view.mode(replica) != ReplicaMode.ERR;
    if (isMember || view.running().isEmpty()) {
      return false;
    }
    return replica.spec().healthyAt().isEmpty() || !trustworthyWithout(replica).isEmpty();
  }

  private List<Replica> trustworthyWithout(Replica replica) {
    return view.usableCopies().stream()
        .filter(other -> !other.name().equals(replica.name()))
        .filter(this::isTrustworthy)
        .toList();
  }

  private boolean isTrustworthy(Replica replica) {
    ReplicaSpec spec = replica.spec();
    return view.isCurrent(replica)
        // Its engine still has the files open, and a later engine cannot open them.
        && !LostData.isLost(replica)
        && view.nodes().isReady(replica.ownerNode())
        && spec.lastHealthyAt().isPresent()
        && spec.lastFailedAt().filter(f -> !spec.lastHealthyAt().get().isAfter(f)).isEmpty();
  }
}
