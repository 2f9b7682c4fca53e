package dev.holdfast.engine.sparse.internal.volume;

import dev.holdfast.engine.Handover;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.members.Broadcast;
import dev.holdfast.engine.sparse.internal.members.RegisterRecord;
import dev.holdfast.engine.sparse.internal.members.ReplicaModes;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.InheritedIndex;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Continues a volume at the state that another engine of the same generation left. Fences all
 * members with a new session, makes no decision, and does not use the register.
 */
public final class VolumeResumption {
  private final OpenRequest request;
  private final Handover handover;
  private final HandoverState state;

  /**
   * Reads the state of the hand-over.
   *
   * @throws StorageException UNSUPPORTED when its format is unknown
   */
  public VolumeResumption(OpenRequest request, Handover handover) throws StorageException {
    this.request = request;
    this.handover = handover;
    this.state = HandoverState.read(request.volume(), handover);
  }

  /**
   * The components with which a volume continues.
   *
   * @param fenced all replicas that admitted the engine, to be closed with the volume
   * @param current the current members
   * @param record knowledge of the register's content
   * @param sizeBytes size of the volume in bytes
   * @param modes modes of all replicas
   */
  record Outcome(
      List<Member> fenced,
      List<Member> current,
      RegisterRecord record,
      long sizeBytes,
      ReplicaModes modes) {}

  /** Fences a replica, with an index of its layers if one is known. */
  @FunctionalInterface
  public interface Access {
    Member fence(ReplicaLocation location, Token token, Optional<InheritedIndex> known)
        throws StorageException;
  }

  /** Continues the volume; from this point it serves requests. */
  public VolumeContext run(
      Access access, Executor executor, MemberClock clock, Duration registerRetry)
      throws StorageException {
    List<Member> members = fence(access, new Broadcast(executor));
    ReplicaModes modes = new ReplicaModes();
    state.modes().forEach(modes::set);
    RegisterRecord record =
        new RegisterRecord(request.volume(), request.register(), state.register());
    VolumeContext parts =
        VolumeContext.of(
            request,
            new Outcome(members, members, record, state.sizeBytes(), modes),
            executor,
            clock,
            registerRetry);
    parts.intents().marked(markedByAll(members));
    parts.keeper().resume(state.latestNumber());
    return parts;
  }

  private List<Member> fence(Access access, Broadcast fan) throws StorageException {
    List<HandoverState.Left> left = state.members();
    Token token = state.token(handover.session());
    Member[] let = new Member[left.size()];
    StorageException[] failures =
        fan.all(
            let.length,
            at -> {
              HandoverState.Left member = left.get(at);
              let[at] = access.fence(member.location(), token, state.heritage(member, handover));
              check(let[at], member);
            });
    List<Member> members = new ArrayList<>();
    StorageException failure = null;
    for (int i = 0; i < let.length; i++) {
      if (let[i] != null) {
        members.add(let[i]);
      }
      if (failures[i] != null && (failure == null || failures[i].code() == ErrorCode.CONFLICT)) {
        failure = failures[i];
      }
    }
    if (failure != null) {
      members.forEach(Member::close);
      throw failure;
    }
    return members;
  }

  // From the members' state, because sealing removes the marks.
  private static BitSet markedByAll(List<Member> members) {
    Optional<BitSet> all =
        members.stream()
            .filter(member -> !member.witness())
            .map(member -> (BitSet) member.history().marked().clone())
            .reduce(
                (some, more) -> {
                  some.and(more);
                  return some;
                });
    return all.orElseThrow();
  }

  // Marks of an earlier boot may stand for lost data, and the decisions of another engine are
  // unknown here.
  private void check(Member member, HandoverState.Left left) throws StorageException {
    Epoch inForce = state.register().inForce();
    Epoch told = member.history().epoch();
    boolean sameEpoch =
        told.generation() == inForce.generation()
            && told.number() >= inForce.number()
            && told.number() <= state.latestNumber();
    boolean same =
        member.id().equals(left.id())
            && sameEpoch
            && !member.history().tampered()
            && !member.incomplete()
            && member.intact()
            && (member.witness() || member.size() == state.sizeBytes());
    if (!same) {
      throw new StorageException(
          ErrorCode.INVALID,
          "replica "
              + left.location().replica()
              + " changed since the hand-over; volume "
              + request.volume()
              + " must be opened again");
    }
  }
}
