package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes a healthy member. Tries once. If the outcome is unknown, the replica stays a member:
 * whichever epoch a start finds, its members hold all data. The keeper ensures that no request is
 * in flight and holds its lock {@code stillness}.
 */
final class MemberRemoval {
  private static final Logger LOG = LoggerFactory.getLogger(MemberRemoval.class);

  private final String volume;
  private final Member member;
  private final PendingRemovals departures;
  private final MembershipManager keeper;

  MemberRemoval(
      String volume, Member member, PendingRemovals departures, MembershipManager keeper) {
    this.volume = volume;
    this.member = member;
    this.departures = departures;
    this.keeper = keeper;
  }

  /** As {@link MembershipManager#remove}. */
  void run() throws StorageException {
    if (departures.targeted()) {
      throw new StorageException(
          ErrorCode.BUSY, "volume " + volume + ": a replica is being rebuilt; try again later");
    }
    boolean decided = attempted();
    if (departures.isMember(member)) {
      if (decided || !departures.remains(member)) {
        throw lastOne();
      }
      recordKept();
      throw undecided();
    }
  }

  private boolean attempted() throws StorageException {
    departures.beginRemoval(member);
    try {
      return departures.remains(member) && keeper.dropped();
    } catch (StorageException e) {
      keeper.fail(e);
      throw e;
    } finally {
      departures.cancelRemoval();
    }
  }

  // The other members already have an epoch without this replica. If they lost unflushed data, a
  // start that finds that epoch would not use this replica, the only one that still holds the data.
  private void recordKept() throws StorageException {
    try {
      if (!keeper.decided("kept: " + member.name())) {
        LOG.warn(
            "volume {}: could not record that replica {} stays a member", volume, member.name());
      }
    } catch (StorageException e) {
      keeper.fail(e);
      throw e;
    }
  }

  private StorageException lastOne() {
    return new StorageException(
        ErrorCode.CONFLICT,
        "volume " + volume + ": replica " + member.name() + " is the only one that is current");
  }

  private StorageException undecided() {
    return new StorageException(
        ErrorCode.UNREACHABLE,
        "volume "
            + volume
            + ": replica "
            + member.name()
            + " stays a member: its removal could not be recorded");
  }
}
