package dev.holdfast.engine.sparse.internal.rebuild;

import dev.holdfast.engine.DecidedEpoch;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.sparse.internal.volume.ReplicaAccess;
import dev.holdfast.engine.sparse.internal.volume.VolumeContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.List;

/** The rebuilds of an open volume, one at a time (docs/REPLICATION.md, "Return of a replica"). */
public final class Rebuilds {
  // A member that loses its link numbers its own sessions upwards from here.
  private static final int SESSION_SHIFT = 32;

  private final VolumeContext parts;
  private final ReplicaAccess access;
  private final long firstSession;

  // Guarded by this.
  private long session;
  private ReplicaRebuild latest;
  private boolean stopped;

  /**
   * Starts without a rebuild.
   *
   * @param firstSession lowest session number to use; lower ones are taken
   */
  public Rebuilds(VolumeContext parts, ReplicaAccess access, long firstSession) {
    this.parts = parts;
    this.access = access;
    this.firstSession = firstSession;
  }

  public synchronized Rebuild begin(ReplicaLocation location, RebuildOptions options)
      throws StorageException {
    if (stopped) {
      throw new StorageException(ErrorCode.IO, "volume " + parts.name() + " is closed");
    }
    if (latest != null && !latest.done().toCompletableFuture().isDone()) {
      if (latest.replica().equals(location.replica())) {
        return latest;
      }
      throw new StorageException(
          ErrorCode.BUSY,
          "volume " + parts.name() + ": replica " + latest.replica() + " is being rebuilt");
    }
    checkPlace(location);
    Member target = fence(location);
    boolean begun = false;
    try {
      check(target);
      parts.opened().add(target);
      ReplicaRebuild rebuild = new ReplicaRebuild(parts, target, options);
      rebuild.begin();
      latest = rebuild;
      begun = true;
      return rebuild;
    } finally {
      if (!begun) {
        target.close();
        parts.opened().remove(target);
      }
    }
  }

  private void checkPlace(ReplicaLocation location) throws StorageException {
    if (!location.volume().equals(parts.name())) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          "replica " + location.replica() + " is of volume " + location.volume());
    }
    for (Member member : parts.members().current()) {
      if (member.name().equals(location.replica())) {
        throw new StorageException(
            ErrorCode.CONFLICT, "replica " + location.replica() + " is current already");
      }
    }
  }

  private Member fence(ReplicaLocation location) throws StorageException {
    for (Member former : parts.opened()) {
      if (former.name().equals(location.replica())) {
        former.close();
        parts.opened().remove(former);
      }
    }
    session++;
    return access.fence(
        location,
        new Token(parts.record().generation(), firstSession + (session << SESSION_SHIFT)));
  }

  // Data that another history wrote is not overwritten, because an administrator may need it.
  private void check(Member target) throws StorageException {
    Membership record = parts.record().stored();
    Epoch last = target.history().epoch();
    boolean empty = target.history().born() && last.initial();
    boolean known = inHistory(last, record.history());
    if (!target.witness() && !empty && !known) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          "replica "
              + target.name()
              + " was current in epoch "
              + last.generation()
              + "."
              + last.number()
              + ", of which the volume "
              + parts.name()
              + " does not know; it is left as it is: salvage it or delete it");
    }
    if (parts.members().current().stream().anyMatch(member -> member.id().equals(target.id()))) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          "replica " + target.name() + " is a copy of a current replica's directory");
    }
    if (!target.witness()) {
      checkBase(target);
    }
    if (!target.witness() && target.size() > parts.device().size()) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          "replica "
              + target.name()
              + " has "
              + target.size()
              + " bytes, more than the volume's "
              + parts.device().size());
    }
  }

  // A rebuild copies layers, not the base below them.
  private void checkBase(Member target) throws StorageException {
    String base = parts.members().team().data().get(0).base();
    if (!target.base().equals(base)) {
      throw new StorageException(
          ErrorCode.INVALID,
          "replica "
              + target.name()
              + (target.base().isEmpty()
                  ? " has no backing image"
                  : " is based on backing image " + target.base())
              + ", volume "
              + parts.name()
              + (base.isEmpty() ? " on none" : " on " + base)
              + ": delete the replica and make it again");
    }
  }

  private static boolean inHistory(Epoch last, List<DecidedEpoch> history) {
    boolean before = false;
    boolean after = false;
    for (DecidedEpoch decided : history) {
      if (decided.generation() == last.generation()) {
        if (decided.number() == last.number()) {
          return decided.members().equals(last.members());
        }
        before |= decided.number() < last.number() && decided.members().containsAll(last.members());
        after |= decided.number() > last.number();
      }
    }
    // An epoch that its engine sent and then replaced by a higher number has no entry in the
    // history.
    return before && after;
  }

  /** Interrupts a running rebuild and waits for its end; later ones are refused. */
  public void stop() {
    ReplicaRebuild running;
    synchronized (this) {
      stopped = true;
      running = latest;
    }
    if (running != null) {
      running.cancel();
      running.awaitEnd();
    }
  }
}
