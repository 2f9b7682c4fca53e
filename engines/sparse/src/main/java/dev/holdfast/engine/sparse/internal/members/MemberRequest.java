package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.engine.sparse.internal.replica.Regions;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One request to the members; pooled.
 *
 * <pre>
 *   change:  marks durable -> its turn in the queue -> all members -> all answered
 *   read:                     its turn in the queue -> one member  -> answered, else the next member
 * </pre>
 */
final class MemberRequest extends RangeQueue.Entry implements IntentMarker.Waiting {
  private enum Kind {
    READ,
    EXTENTS,
    WRITE,
    ZERO
  }

  /** Receives the completion of one member; a change has one leg per member. */
  private final class Leg implements MemberCompletion {
    private Member member;
    private boolean told;

    @Override
    public void completed(StorageException failure, long done) {
      told = true;
      answered(member, failure, done);
    }

    void send(Member to) {
      member = to;
      told = false;
      try {
        sendTo(to, this);
      } catch (RuntimeException | Error e) {
        if (told) {
          // The completion threw: the request has ended, and its object may already be reused.
          throw e;
        }
        // The member did not accept the request.
        completed(ReplicaFanout.defect(to, e), 0);
        return;
      }
      to.endOfBatch();
    }
  }

  private final ReplicaFanout members;
  private final List<Leg> legs = new ArrayList<>();
  private final AtomicInteger unanswered = new AtomicInteger();
  private int ticket;
  private Completion completion;
  private int flags;

  private Kind kind;
  private MemberSet team;
  private long offset;
  private long length;
  private boolean allocated;
  private ByteBuffer buffer;
  private int position;
  private ExtentVisitor visitor;
  private int attempt;
  // Guarded by this; null in most requests.
  private List<MemberFailure> failures;

  MemberRequest(ReplicaFanout members) {
    this.members = members;
    legs.add(new Leg());
  }

  void begin(int gateTicket, Completion told, int requestFlags) {
    ticket = gateTicket;
    completion = told;
    flags = requestFlags;
    failures = null;
    attempt = 0;
  }

  int flags() {
    return flags;
  }

  void read(MemberSet now, long from, ByteBuffer target) {
    kind = Kind.READ;
    buffer = target;
    position = target.position();
    order(now, from, target.remaining());
  }

  void extents(MemberSet now, long from, long count, ExtentVisitor told) {
    kind = Kind.EXTENTS;
    visitor = told;
    order(now, from, count);
  }

  void write(MemberSet now, long from, ByteBuffer source) {
    kind = Kind.WRITE;
    buffer = source;
    position = source.position();
    change(now, from, source.remaining());
  }

  void zero(MemberSet now, long from, long count, boolean keepAllocated) {
    kind = Kind.ZERO;
    allocated = keepAllocated;
    change(now, from, count);
  }

  private void change(MemberSet now, long from, long count) {
    if (count == 0 || members.intents().covers(from, count)) {
      order(now, from, count);
    } else {
      team = now;
      offset = from;
      length = count;
      members.marker().mark(this);
    }
  }

  @Override
  public void addRegions(BitSet regions) {
    regions.set(Regions.of(offset), Regions.of(offset + length - 1) + 1);
  }

  @Override
  public void marked(StorageException failure) {
    if (failure == null) {
      order(team, offset, length);
    } else {
      end(failure);
    }
  }

  private void order(MemberSet now, long from, long count) {
    team = now;
    offset = from;
    length = count;
    if (count == 0) {
      end(null);
    } else if (members.queue().enter(this, from, count, changes())) {
      released();
    }
  }

  private boolean changes() {
    return kind == Kind.WRITE || kind == Kind.ZERO;
  }

  @Override
  void released() {
    if (changes() && !team.targets().isEmpty() && PartialBlockWriter.needed(offset, length)) {
      members.executor().execute(this::sendToTargets);
    } else if (changes()) {
      sendToAll(team.writers());
    } else {
      sendToOne();
    }
  }

  private void sendToTargets() {
    ByteBuffer content = kind == Kind.WRITE ? buffer.slice(position, (int) length) : null;
    for (Member target : team.targets()) {
      try {
        new PartialBlockWriter(team, target, offset, length, content, allocated).write();
      } catch (StorageException e) {
        note(new MemberFailure(target, e, 0));
      } catch (RuntimeException | Error e) {
        note(new MemberFailure(target, ReplicaFanout.defect(target, e), 0));
      }
    }
    sendToAll(team.data().toArray(new Member[0]));
  }

  private void sendToAll(Member[] writers) {
    while (legs.size() < writers.length) {
      legs.add(new Leg());
    }
    // One more than the members, so that the request does not end while it is still being sent.
    unanswered.set(writers.length + 1);
    for (int i = 0; i < writers.length; i++) {
      legs.get(i).send(writers[i]);
    }
    answered(null, null, 0);
  }

  private void sendToOne() {
    unanswered.set(1);
    legs.get(0).send(team.reader(offset, attempt));
  }

  private void sendTo(Member member, MemberCompletion answer) {
    switch (kind) {
      case READ -> member.read(offset, buffer, position, (int) length, answer);
      case EXTENTS -> member.extents(offset, length, visitor, answer);
      case WRITE -> member.write(offset, buffer, position, (int) length, answer);
      case ZERO -> member.zero(offset, length, allocated, answer);
    }
  }

  private void answered(Member member, StorageException failure, long done) {
    if (failure != null) {
      note(new MemberFailure(member, failure, done));
    }
    if (unanswered.decrementAndGet() > 0) {
      return;
    }
    if (!changes() && failure != null) {
      later(this::readFailed);
    } else if (changes() && failed()) {
      later(this::changeFailed);
    } else {
      finish(null);
    }
  }

  // Handling a failure may wait for members, and this thread may be the one that delivers their
  // replies.
  private void later(Runnable handling) {
    if (team.near()) {
      handling.run();
    } else {
      members.executor().execute(handling);
    }
  }

  private synchronized void note(MemberFailure failure) {
    if (failures == null) {
      failures = new ArrayList<>();
    }
    failures.add(failure);
  }

  private synchronized boolean failed() {
    return failures != null;
  }

  private void changeFailed() {
    StorageException told = null;
    try {
      members.failureRule().changeFailed(List.of(team.writers()), failures, offset, length);
    } catch (StorageException e) {
      told = e;
    } catch (RuntimeException | Error e) {
      told = new StorageException(ErrorCode.INTERNAL, "a failed change was not handled: " + e, e);
    }
    finish(told);
  }

  private void readFailed() {
    attempt++;
    if (attempt < team.readers()) {
      sendToOne();
    } else {
      finish(FailureRule.reported(failures));
    }
  }

  private void finish(StorageException failure) {
    if (failure == null && !changes() && failed()) {
      // Another member returned the data: the members that failed are dropped.
      members.failureRule().readFailed(failures);
    }
    if (failure == null && buffer != null) {
      buffer.position(position + (int) length);
    }
    members.queue().leave(this);
    end(failure);
  }

  private void end(StorageException failure) {
    Completion told = completion;
    int gateTicket = ticket;
    completion = null;
    buffer = null;
    visitor = null;
    team = null;
    members.ended(this, gateTicket, told, failure);
  }
}
