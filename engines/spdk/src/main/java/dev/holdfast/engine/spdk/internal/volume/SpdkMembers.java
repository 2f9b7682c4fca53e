package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.DecidedEpoch;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The record of a volume in the register: its generation, and which replicas are current. Only the
 * register decides; the replicas never do. For one thread at a time.
 */
final class SpdkMembers {
  private static final int HISTORY = 32;

  private final String volume;
  private final MembershipRegister register;
  private Membership now;

  private SpdkMembers(String volume, MembershipRegister register, Membership now) {
    this.volume = volume;
    this.register = register;
    this.now = now;
  }

  /** Reads the record. */
  SpdkMembers(String volume, MembershipRegister register) throws StorageException {
    this(volume, register, register.read());
  }

  /** Continues a generation without asking the register, which is read at the next decision. */
  static SpdkMembers handedOver(String volume, MembershipRegister register, long generation) {
    return new SpdkMembers(
        volume, register, new Membership(generation, "", generation, 0, new TreeSet<>()));
  }

  /** Returns the record as it was last seen. */
  Membership now() {
    return now;
  }

  private StorageException conflict(String what) {
    return new StorageException(
        ErrorCode.CONFLICT, "volume " + volume + ": " + what + ": open it again");
  }

  /** Begins a generation with the members of the last one. */
  void claim(String node, SortedSet<String> members) throws StorageException {
    long generation = now.generation() + 1;
    DecidedEpoch epoch = new DecidedEpoch(generation, 1, members, "opened on node " + node);
    Membership claimed =
        new Membership(
            generation, node, generation, 1, members, 0, "", extended(now.history(), epoch));
    if (!register.compareAndSet(now, claimed) || !register.read().equals(claimed)) {
      throw conflict("it was opened elsewhere at the same time");
    }
    now = claimed;
  }

  private static List<DecidedEpoch> extended(List<DecidedEpoch> history, DecidedEpoch last) {
    List<DecidedEpoch> all = new ArrayList<>(history);
    all.add(last);
    return all.subList(Math.max(0, all.size() - HISTORY), all.size());
  }

  /** Returns whether a replica was a member of an epoch that is known. */
  boolean knew(String identity) {
    return now.members().contains(identity)
        || now.history().stream().anyMatch(epoch -> epoch.members().contains(identity));
  }

  /**
   * Reads the record again.
   *
   * @throws StorageException CONFLICT when a later opening took over; UNREACHABLE or TIMEOUT
   */
  Membership confirm() throws StorageException {
    Membership present = register.read();
    if (present.generation() != now.generation()) {
      throw conflict("a later opening took over");
    }
    now = present;
    return present;
  }

  /**
   * Decides the next epoch. Succeeds without effect when the members are those already.
   *
   * @param reason for a person
   * @throws StorageException CONFLICT when a later opening took over; UNREACHABLE or TIMEOUT when
   *     it is not known: call it again
   */
  void decide(SortedSet<String> members, String reason) throws StorageException {
    Membership present = confirm();
    if (present.members().equals(members)) {
      return;
    }
    long number = present.epochNumber() + 1;
    DecidedEpoch epoch = new DecidedEpoch(present.epochGeneration(), number, members, reason);
    Membership next =
        new Membership(
            present.generation(),
            present.owner(),
            present.epochGeneration(),
            number,
            members,
            present.sizeBytes(),
            "",
            extended(present.history(), epoch));
    if (!register.compareAndSet(present, next)) {
      throw conflict("its record was changed elsewhere");
    }
    now = next;
  }
}
