package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Decisions that legs leave an open volume. The register has each before requests continue without
 * the leg, and the last leg never leaves. The monitor of the volume guards it.
 */
final class LegDecisions {
  private final OpenRequest request;
  private final SpdkLegs legs;
  private final SpdkMembers members;
  private final LegWatch watch;

  LegDecisions(OpenRequest request, SpdkLegs legs, SpdkMembers members, LegWatch watch) {
    this.request = request;
    this.legs = legs;
    this.members = members;
    this.watch = watch;
  }

  /**
   * Records that the mirror dropped legs by itself. SPDK has acknowledged writes without them since
   * then.
   */
  void followMirror() throws StorageException {
    for (ReplicaLeg leg : legs.dropped()) {
      if (legs.all().size() > 1) {
        leave(leg, "its disk failed, and the mirror dropped it before that was decided");
        request.listener().replicaDropped(leg.name(), "its disk failed");
      }
    }
  }

  /**
   * Gives up legs that their nodes do not show now.
   *
   * @param overdueOnly whether only those that were away for too long
   */
  void dropAbsent(boolean overdueOnly) throws StorageException {
    for (ReplicaLeg leg : legs.remotes()) {
      Optional<StorageException> problem = watch.problem(leg);
      if (problem.isPresent() && legs.all().size() > 1 && (!overdueOnly || watch.isOverdue(leg))) {
        leave(leg, "node " + leg.place().location().nodeId() + ": " + problem.get().getMessage());
      }
    }
  }

  /** Removes what this node still serves after another node opened the volume. */
  void withdrawIfTaken(StorageException failure) {
    try {
      if (failure.code() == ErrorCode.FORBIDDEN
          && !request.register().read().owner().equals(request.nodeId())) {
        legs.withdraw();
      }
    } catch (StorageException e) {
      failure.addSuppressed(e);
    }
  }

  /** Lets a leg leave. */
  void leave(ReplicaLeg leg, String reason) throws StorageException {
    SortedSet<String> left = new TreeSet<>();
    legs.all().stream().filter(one -> one != leg).forEach(one -> left.add(one.identity()));
    members.decide(left, "replica " + leg.name() + ": " + reason);
    legs.forget(leg);
    if (leg.isRemote()) {
      leg.release();
    } else {
      leg.disconnect();
    }
    request.listener().replicaChanged(leg.name(), MemberMode.ERR, reason);
  }
}
