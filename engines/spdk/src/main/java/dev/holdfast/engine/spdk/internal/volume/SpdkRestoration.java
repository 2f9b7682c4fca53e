package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.spdk.internal.replica.LegRecord.Opening;
import dev.holdfast.engine.spdk.internal.replica.LegToken;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;

/**
 * Shows an open volume again after its target was restarted, or after the connection to it was
 * lost, in the same generation. The monitor of the volume guards it.
 *
 * <pre>
 *   register still names this opening ─ records of the current replicas ─ fence ─ which count
 *   ─ their epoch ─ leftovers ─ mirror, subsystem ─ connection
 * </pre>
 */
final class SpdkRestoration {
  private final SpdkContext context;
  private final OpenRequest request;
  private final SpdkLegs legs;
  private final SpdkMembers members;

  SpdkRestoration(SpdkContext context, OpenRequest request, SpdkLegs legs, SpdkMembers members) {
    this.context = context;
    this.request = request;
    this.legs = legs;
    this.members = members;
  }

  /**
   * Asks the register whether the volume may be restored.
   *
   * @throws StorageException CONFLICT when another opening took over; UNREACHABLE or TIMEOUT when
   *     the register does not answer yet
   */
  void confirm() throws StorageException {
    Membership unused = members.confirm();
  }

  /**
   * Restores it, after {@link #confirm}. A repeated call continues where an earlier one failed.
   *
   * @return the connection to the live content
   * @throws StorageException CONFLICT when another opening took over; UNREACHABLE or TIMEOUT when
   *     target or register do not answer yet; as the first replica that cannot be opened
   */
  BlockDevice run() throws StorageException {
    List<ReplicaLeg> found = found();
    try {
      return shown(found);
    } catch (StorageException | RuntimeException | Error e) {
      found.forEach(ReplicaLeg::disconnect);
      throw e;
    }
  }

  /**
   * Opens the records of the current replicas of this node; disks that the target lost are given to
   * it. A replica on another node that does not answer is left out.
   */
  private List<ReplicaLeg> found() throws StorageException {
    List<ReplicaLeg> found = new ArrayList<>();
    StorageException failure = null;
    for (ReplicaLeg leg : legs.all()) {
      leg.disconnect();
      try {
        found.add(opened(leg));
      } catch (StorageException e) {
        boolean later = e.code() == ErrorCode.CONFLICT || e.code() == ErrorCode.FORBIDDEN;
        boolean away = e.code() == ErrorCode.UNREACHABLE || e.code() == ErrorCode.TIMEOUT;
        if (later || (away && !leg.isRemote())) {
          found.forEach(ReplicaLeg::disconnect);
          throw e;
        }
        failure = e;
      }
    }
    if (found.isEmpty() && failure != null) {
      throw failure;
    }
    return found;
  }

  private ReplicaLeg opened(ReplicaLeg leg) throws StorageException {
    if (!leg.isRemote()) {
      return context.replicas().open(leg.place().location());
    }
    leg.fence(own()); // the node has the opening still; this reads its record
    return leg;
  }

  private LegToken own() {
    Opening own = legs.record().opening();
    return new LegToken(own.generation(), own.session());
  }

  private BlockDevice shown(List<ReplicaLeg> found) throws StorageException {
    requireOwn(found);
    for (ReplicaLeg leg : found) {
      if (!leg.isRemote()) {
        context.service().exclusively(leg.place().location(), () -> leg.fence(own()));
      }
    }
    boolean equal = new SpdkLegs(context, request.volume(), found).withdrawIntact();
    List<ReplicaLeg> counted = SpdkOpening.counted(found, equal);
    List<ReplicaLeg> former = legs.all();
    decide(counted);
    legs.replace(counted);
    for (ReplicaLeg leg : former) {
      if (leg.isRemote() && !counted.contains(leg)) {
        legs.remote().detachAll(leg);
        leg.release();
      }
    }
    found.stream().filter(leg -> !counted.contains(leg)).forEach(ReplicaLeg::disconnect);
    for (ReplicaLeg leg : counted) {
      leg.removeLeftovers();
    }
    return legs.serve();
  }

  /**
   * Says in the records that the volume is in use, when all is restored and before requests
   * continue. After a planned end of the target they say that the replicas are equal, which counts
   * for each attempt until then.
   */
  void markOpen() throws StorageException {
    Opening own = legs.record().opening();
    if (legs.all().stream().anyMatch(leg -> leg.record().opening().clean())) {
      legs.write(record -> record.opened(new Opening(own.generation(), own.session(), false)));
    }
  }

  private void requireOwn(List<ReplicaLeg> found) throws StorageException {
    Opening own = legs.record().opening();
    for (ReplicaLeg leg : found) {
      Opening stored = leg.record().opening();
      if (stored.generation() != own.generation() || stored.session() != own.session()) {
        throw new StorageException(
            ErrorCode.CONFLICT,
            "volume " + request.volume() + ": another engine has opened replica " + leg.name());
      }
    }
  }

  private void decide(List<ReplicaLeg> counted) throws StorageException {
    String reason = "its target was restarted, and replicas may differ in what was in flight";
    members.decide(SpdkOpening.identities(counted), "replicas after a restart of the target");
    for (ReplicaLeg leg : legs.all()) {
      if (counted.stream().noneMatch(one -> one.identity().equals(leg.identity()))) {
        request.listener().replicaChanged(leg.name(), MemberMode.ERR, reason);
      }
    }
  }
}
