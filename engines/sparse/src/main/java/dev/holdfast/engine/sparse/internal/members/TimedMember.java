package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.IoThread;
import dev.holdfast.engine.sparse.internal.chain.ReplicaChain;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.FencedMember;
import dev.holdfast.engine.sparse.internal.replica.LocalReplica;
import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.rpc.LayerReply;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.BitSet;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A local replica whose disk may hang without an error. While other members could serve without it,
 * its requests run at the end of the caller's run. They run on the caller's thread if another
 * thread can continue when that one hangs ({@link IoThread#relievable}), else together on another
 * thread. A request longer than the time-out ends the member, as it ends a remote member. A read of
 * data in the page cache, which no disk can delay, runs immediately. While the replica is the only
 * member, data requests run on the caller's thread, because no other member could serve them.
 */
public final class TimedMember extends FencedMember {
  private static final Logger LOG = LoggerFactory.getLogger(TimedMember.class);

  /** Number of time-outs for work that reads a whole replica. */
  private static final int LONG = 8;

  private static final int UNLIMITED = 0;

  // Maximum bytes that one run may copy on the caller's thread.
  private static final long MOST_ON_CALLER = 128 << 10;

  /**
   * The services that the member's engine provides.
   *
   * @param hung the replicas whose disks were abandoned
   */
  public record Surroundings(
      Executor executor, MemberClock clock, Duration timeout, HungReplicas hung) {}

  private final ReplicaSession session;
  private final LocalReplica replica;
  private final HangDetector attendance;
  private final ReplicaChain chain;
  private final Runnable dispatch = this::dispatch;
  private volatile boolean attended;
  private volatile boolean collecting;
  // Guarded by this.
  private TimedRequest firstCollected;
  private TimedRequest lastCollected;

  public TimedMember(ReplicaSession session, Surroundings around) {
    super(session.replica().location(), session.replica().fenced());
    this.session = session;
    this.replica = session.replica();
    this.attendance = new HangDetector(this, session, around);
    this.chain = replica.chain() == null ? null : new TimedChain(this, replica.chain());
  }

  /**
   * Sets the owner of the member before it serves.
   *
   * @param answer whether another member could serve without this one
   * @param whenEnded called when the member can change nothing more, before its requests end
   * @param whenIdle called at the same time if no request was in flight
   */
  public void serve(
      BooleanSupplier answer, Consumer<StorageException> whenEnded, Runnable whenIdle) {
    attendance.serve(answer, whenEnded, whenIdle);
  }

  /**
   * Limits later waits to the time-out, even if no other member works, because the volume is being
   * closed.
   */
  public void hurry() {
    attendance.hurry();
    attended = true;
  }

  /** Sets whether other members work. Called while no request is in flight. */
  void attend(boolean value) {
    attended = value;
  }

  /** Returns the replica itself. */
  public LocalReplica replica() {
    return replica;
  }

  @Override
  public boolean local() {
    return true;
  }

  @Override
  public boolean works() {
    return attendance.works();
  }

  @Override
  public boolean chained() {
    return replica.chained();
  }

  @Override
  public void read(
      long offset, ByteBuffer target, int position, int length, MemberCompletion done) {
    if (!attended) {
      replica.read(offset, target, position, length, done);
    } else if (readNow(offset, target, position, length)) {
      done.completed(null, length);
    } else {
      boolean fromDisk = replica.tellsCached();
      collect(attendance.take().read(offset, target, position, length, fromDisk), done);
    }
  }

  private boolean readNow(long offset, ByteBuffer target, int position, int length) {
    int ticket = attendance.ended() == null ? session.enter() : -1;
    if (ticket < 0) {
      return false;
    }
    try {
      return replica.readNow(offset, target, position, length);
    } finally {
      session.leave(ticket);
    }
  }

  @Override
  public void write(
      long offset, ByteBuffer source, int position, int length, MemberCompletion done) {
    if (attended) {
      collect(attendance.take().write(offset, source, position, length), done);
    } else {
      replica.write(offset, source, position, length, done);
    }
  }

  @Override
  public void zero(long offset, long length, boolean allocated, MemberCompletion done) {
    if (attended) {
      collect(attendance.take().zero(offset, length, allocated), done);
    } else {
      replica.zero(offset, length, allocated, done);
    }
  }

  @Override
  public void sync(MemberCompletion done) {
    if (attended) {
      collect(attendance.take().sync(), done);
    } else {
      replica.sync(done);
    }
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, MemberCompletion done) {
    if (attended) {
      collect(attendance.take().extents(offset, length, visitor), done);
    } else {
      replica.extents(offset, length, visitor, done);
    }
  }

  private void collect(TimedRequest request, MemberCompletion done) {
    if (!attendance.begin(request, done)) {
      done.completed(attendance.ended(), 0);
      return;
    }
    synchronized (this) {
      if (lastCollected == null) {
        firstCollected = request;
      } else {
        lastCollected.behind = request;
      }
      lastCollected = request;
      collecting = true;
    }
  }

  @Override
  public void endOfBatch() {
    // A flush may have been collected just before this became the only member.
    if (collecting && !IoThread.defer(dispatch)) {
      dispatch();
    }
  }

  private void dispatch() {
    TimedRequest first;
    synchronized (this) {
      first = firstCollected;
      firstCollected = null;
      lastCollected = null;
      collecting = false;
    }
    if (first == null) {
      return;
    }
    Optional<IoThread> caller = quick(first) ? IoThread.relievable() : Optional.empty();
    if (caller.isPresent()) {
      first.runOn(caller.get());
    } else {
      attendance.carryOut(first);
    }
  }

  // Large copies run concurrently on several cores, and reads concurrently on several disks.
  private static boolean quick(TimedRequest first) {
    long bytes = 0;
    for (TimedRequest request = first; request != null; request = request.behind) {
      if (request.waitsForDisk()) {
        return false;
      }
      bytes += request.length();
    }
    return bytes <= MOST_ON_CALLER;
  }

  /**
   * Executes a request, unless the session has ended, and completes it.
   *
   * @param caller the calling thread if another one can continue its run, else null
   * @return false when another thread continues the run
   */
  boolean carryOut(TimedRequest request, IoThread caller) {
    boolean unrelieved = true;
    int ticket = session.enter();
    if (ticket < 0) {
      request.completed(
          new StorageException(
              ErrorCode.FORBIDDEN, "replica " + name() + " was closed, perhaps for another engine"),
          0);
    } else {
      try {
        unrelieved = request.on(replica, caller);
      } finally {
        session.leave(ticket);
      }
    }
    answer(request);
    return unrelieved;
  }

  private void answer(TimedRequest request) {
    MemberCompletion told = request.waiting();
    StorageException failure = request.failure();
    long done = request.done();
    attendance.left(request);
    if (told == null) {
      return;
    }
    try {
      told.completed(failure, done);
    } catch (RuntimeException | Error e) {
      // The requests behind it on this thread must still be executed.
      LOG.error("replica {}: the answer of a request failed", name(), e);
    }
  }

  /** Fails a request that no thread could execute. */
  void refuse(TimedRequest request, Error cause) {
    request.completed(ReplicaFanout.defect(this, cause), 0);
    answer(request);
  }

  /** Runs blocking work and waits for it up to the limit of the member. */
  private <T> T call(TimedCall.Work<T> work, int timeouts) throws StorageException {
    return attended ? attendance.call(work, timeouts) : work.run();
  }

  /** Runs work that may read a whole replica. */
  <T> T longCall(TimedCall.Work<T> work) throws StorageException {
    return call(work, LONG);
  }

  /** Runs work whose duration depends on the amount of data to copy. */
  <T> T unlimitedCall(TimedCall.Work<T> work) throws StorageException {
    return call(work, UNLIMITED);
  }

  /** Work without a result. */
  @FunctionalInterface
  interface Step {
    void run() throws StorageException;
  }

  private void step(Step step, int timeouts) throws StorageException {
    call(
        () -> {
          step.run();
          return step;
        },
        timeouts);
  }

  void longStep(Step step) throws StorageException {
    step(step, LONG);
  }

  /**
   * Ends the member while a request on a caller's thread hangs in its disk. No engine is admitted
   * before that request has ended.
   *
   * @param idle returns when the request has ended
   */
  public void endAfter(Runnable idle) {
    attendance.endAfter(idle);
  }

  @Override
  public void mark(BitSet regions) throws StorageException {
    step(() -> replica.mark(regions), 1);
  }

  @Override
  public void replaceMarks(BitSet marked) throws StorageException {
    step(() -> replica.replaceMarks(marked), 1);
  }

  @Override
  public void recordEpoch(Epoch epoch, SortedSet<String> absent, BitSet missed)
      throws StorageException {
    step(() -> replica.recordEpoch(epoch, absent, missed), 1);
  }

  @Override
  public void seal() throws StorageException {
    // Sealing waits for a running coalescing. It is limited nevertheless, because a close must end.
    step(replica::seal, 1);
  }

  @Override
  public ReplicaChain chain() {
    return chain;
  }

  @Override
  public LayerReply layer(LayerRequest request) throws StorageException {
    return unlimitedCall(() -> replica.layer(request));
  }

  /** Leaves a hanging call to another thread; no engine is admitted until the call ends. */
  @Override
  public void close() {
    hurry();
    attendance.forgetListeners();
    try {
      step(session::close, 1);
    } catch (StorageException e) {
      LOG.warn("{}; it is closed when that answers", e.getMessage());
    }
  }
}
