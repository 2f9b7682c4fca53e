package dev.holdfast.engine.sparse.internal.volume;

import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.sparse.internal.link.RemoteMember;
import dev.holdfast.engine.sparse.internal.members.Broadcast;
import dev.holdfast.engine.sparse.internal.members.FailureRule;
import dev.holdfast.engine.sparse.internal.members.Flusher;
import dev.holdfast.engine.sparse.internal.members.IntentSweeper;
import dev.holdfast.engine.sparse.internal.members.MembershipManager;
import dev.holdfast.engine.sparse.internal.members.RegisterRecord;
import dev.holdfast.engine.sparse.internal.members.ReplicaFanout;
import dev.holdfast.engine.sparse.internal.members.ReplicaModes;
import dev.holdfast.engine.sparse.internal.members.SparseDevice;
import dev.holdfast.engine.sparse.internal.members.TimedMember;
import dev.holdfast.engine.sparse.internal.members.WriteIntents;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import dev.holdfast.engine.sparse.internal.replica.RequestGate;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * The components of an open volume.
 *
 * @param name name of the volume
 * @param opened all replicas that admitted the engine, to be closed with the volume
 */
public record VolumeContext(
    String name,
    List<Member> opened,
    ReplicaFanout members,
    WriteIntents intents,
    MembershipManager keeper,
    ReplicaModes modes,
    SparseDevice device,
    IntentSweeper sweeper,
    ChainCoordinator structure,
    RegisterRecord record,
    OpenRequest request,
    RequestGate gate,
    MemberClock clock,
    Broadcast fan,
    Executor executor) {

  /** Assembles the components after a start; from this point the volume serves requests. */
  public static VolumeContext of(
      OpenRequest request,
      VolumeStart.Outcome started,
      ReplicaModes modes,
      Executor executor,
      MemberClock clock,
      Duration registerRetry) {
    RegisterRecord record =
        new RegisterRecord(request.volume(), request.register(), started.record());
    return of(
        request,
        new VolumeResumption.Outcome(
            started.fenced(), started.current(), record, started.record().sizeBytes(), modes),
        executor,
        clock,
        registerRetry);
  }

  /** Assembles the components after a hand-over; from this point the volume serves requests. */
  public static VolumeContext of(
      OpenRequest request,
      VolumeResumption.Outcome started,
      Executor executor,
      MemberClock clock,
      Duration registerRetry) {
    String name = request.volume();
    long size = started.sizeBytes();
    RegisterRecord record = started.record();
    ReplicaModes modes = started.modes();
    RequestGate gate = new RequestGate(executor);
    WriteIntents intents = new WriteIntents(size);
    MembershipManager keeper =
        new MembershipManager(
            name, record, request.listener(), gate, intents, modes, executor, clock, registerRetry);
    ReplicaFanout members =
        new ReplicaFanout(started.current(), intents, new FailureRule(keeper), executor);
    keeper.keep(members);
    Flusher flusher = new Flusher(members, keeper, gate, executor);
    SparseDevice device = new SparseDevice(name, size, members, gate, flusher, keeper);
    IntentSweeper sweeper = new IntentSweeper(name, members, intents, gate, keeper, flusher);
    ChainCoordinator structure =
        new ChainCoordinator(name, record, members, keeper, gate, executor, registerRetry);
    VolumeContext parts =
        new VolumeContext(
            name,
            new CopyOnWriteArrayList<>(started.fenced()),
            members,
            intents,
            keeper,
            modes,
            device,
            sweeper,
            structure,
            record,
            request,
            gate,
            clock,
            new Broadcast(executor),
            executor);
    keeper.whenFailed(parts::abandon);
    started.current().forEach(parts::watch);
    return parts;
  }

  // An absent witness stays a member: without it fewer replicas could decide, and no request waits
  // for it.
  public void watch(Member member) {
    if (member instanceof RemoteMember remote) {
      remote.serve(
          () -> !remote.witness() && othersWork(remote),
          cause -> keeper.drop(remote, cause),
          () -> clock.later(Duration.ZERO, keeper::settle));
    } else if (member instanceof TimedMember near) {
      near.serve(
          () -> othersWork(near),
          cause -> keeper.drop(near, cause),
          () -> clock.later(Duration.ZERO, keeper::settle));
    }
  }

  /** Sets the receiver of the end of a replica that is not a member. */
  public void serve(Member member, Consumer<StorageException> whenEnded) {
    if (member instanceof RemoteMember remote) {
      remote.serve(() -> true, whenEnded, () -> {});
    } else if (member instanceof TimedMember near) {
      near.serve(() -> true, whenEnded, () -> {});
    }
  }

  /** Records and reports the mode of a replica. */
  public void mode(Member member, MemberMode mode, String reason) {
    modes.set(member.name(), mode);
    request.listener().replicaChanged(member.name(), mode, reason);
  }

  public boolean closed() {
    return gate.closed();
  }

  public void checkOpen() throws StorageException {
    if (closed()) {
      throw new StorageException(ErrorCode.IO, "volume " + name + " was closed");
    }
  }

  /** Announces the close of the volume: each later wait is limited. */
  public void hurry() {
    keeper.hurry();
    for (Member member : opened) {
      if (member instanceof RemoteMember remote) {
        remote.hurry();
      } else if (member instanceof TimedMember near) {
        near.hurry();
      }
    }
  }

  /** Ends the local replicas after a hanging request on a caller's thread has ended. */
  public void endHanging() {
    for (Member member : opened) {
      if (member instanceof TimedMember near) {
        near.endAfter(gate::awaitDrained);
      }
    }
  }

  /**
   * Closes remote members without waiting for their requests, because the volume cannot continue.
   */
  void abandon() {
    for (Member member : opened) {
      if (!member.local()) {
        member.close();
      }
    }
  }

  // A failed member that waits to be dropped cannot serve.
  private boolean othersWork(Member but) {
    return keeper.working().stream().anyMatch(other -> other != but && other.works());
  }
}
