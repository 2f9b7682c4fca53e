package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.IoThread;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.chain.ReplicaChain;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.LocalReplica;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHistory;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.rpc.LayerReply;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica on this node, whose disk may hang without an error. While others could go on without
 * it, its requests are carried out on threads of their own, those of one run of the caller's
 * together on one; one that takes longer than the time-out ends the member, as it does a replica on
 * another node. Only a read of what this host has in memory, which no disk can hold up, is done at
 * once. While it is alone, requests for data are carried out on the caller's thread: nobody could
 * go on anyway.
 */
public final class AttendedMember implements Member {
  private static final Logger LOG = LoggerFactory.getLogger(AttendedMember.class);
  private static final int TICKS = 8;
  private static final int POOLED = 64;

  // At the end of a volume, when nobody else waits for it.
  private static final int LAST_PATIENCE = 4;

  /** Time-outs for what has to look at a whole replica. */
  private static final int LONG = 8;

  private static final int UNLIMITED = 0;

  /**
   * What the member's engine gives it.
   *
   * @param hung the replicas whose disks were given up
   */
  public record Surroundings(
      Executor executor, MemberClock clock, Duration timeout, HungReplicas hung) {}

  private final ReplicaSession session;
  private final LocalReplica replica;
  private final Surroundings around;
  private final ReplicaChain chain;
  private final Runnable dispatch = this::dispatch;
  private volatile boolean attended;
  private volatile Duration patience;
  private volatile boolean hurried;
  private volatile boolean collecting;
  private volatile BooleanSupplier othersWork = () -> false;
  private volatile Consumer<StorageException> endListener = cause -> {};
  private volatile Runnable idleListener = () -> {};

  private volatile StorageException ended;
  // Guarded by this.
  private AttendedRequest oldest;
  private AttendedRequest newest;
  private AttendedRequest pool;
  private int pooled;
  private AttendedRequest firstCollected;
  private AttendedRequest lastCollected;
  private final Set<AttendedCall<?>> calls = new HashSet<>();
  private boolean ticking;
  private long hurriedAt;

  public AttendedMember(ReplicaSession session, Surroundings around) {
    this.session = session;
    this.replica = session.replica();
    this.around = around;
    this.patience = around.timeout();
    this.chain = replica.chain() == null ? null : new AttendedChain(this, replica.chain());
  }

  /**
   * Tells whom the member belongs to, before it is served.
   *
   * @param answer whether another member could go on without this one
   * @param whenEnded told when it can do nothing any more, before its requests end
   * @param whenIdle told then, if no request was under way
   */
  public void serve(
      BooleanSupplier answer, Consumer<StorageException> whenEnded, Runnable whenIdle) {
    othersWork = answer;
    endListener = whenEnded;
    idleListener = whenIdle;
  }

  /** The volume is closed: from now on it is not waited for without end, whoever else works. */
  public void hurry() {
    patience = around.timeout().multipliedBy(LAST_PATIENCE);
    othersWork = () -> true;
    attended = true;
    synchronized (this) {
      if (!hurried) {
        hurried = true;
        hurriedAt = around.clock().nanoTime();
      }
    }
  }

  /** Says whether it has company; no request is at work. */
  void attend(boolean value) {
    attended = value;
  }

  /** Returns the replica itself. */
  public LocalReplica replica() {
    return replica;
  }

  @Override
  public ReplicaLocation location() {
    return replica.location();
  }

  @Override
  public String id() {
    return replica.id();
  }

  @Override
  public long size() {
    return replica.size();
  }

  @Override
  public ReplicaHistory history() {
    return replica.history();
  }

  @Override
  public boolean intact() {
    return replica.intact();
  }

  @Override
  public boolean incomplete() {
    return replica.incomplete();
  }

  @Override
  public boolean local() {
    return true;
  }

  @Override
  public synchronized boolean works() {
    return ended == null && !isLate(around.timeout().dividedBy(2));
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
      collect(take().read(offset, target, position, length), done);
    }
  }

  private boolean readNow(long offset, ByteBuffer target, int position, int length) {
    int ticket = ended == null ? session.enter() : -1;
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
      collect(take().write(offset, source, position, length), done);
    } else {
      replica.write(offset, source, position, length, done);
    }
  }

  @Override
  public void zero(long offset, long length, boolean allocated, MemberCompletion done) {
    if (attended) {
      collect(take().zero(offset, length, allocated), done);
    } else {
      replica.zero(offset, length, allocated, done);
    }
  }

  @Override
  public void sync(MemberCompletion done) {
    if (attended) {
      collect(take().sync(), done);
    } else {
      replica.sync(done);
    }
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, MemberCompletion done) {
    if (attended) {
      collect(take().extents(offset, length, visitor), done);
    } else {
      replica.extents(offset, length, visitor, done);
    }
  }

  private synchronized AttendedRequest take() {
    AttendedRequest request = pool;
    if (request == null) {
      return new AttendedRequest(this);
    }
    pool = request.later;
    pooled--;
    return request;
  }

  private void collect(AttendedRequest request, MemberCompletion done) {
    synchronized (this) {
      if (ended == null) {
        request.begin(done, around.clock().nanoTime());
        append(request);
        tickLater();
        return;
      }
      release(request);
    }
    done.completed(ended, 0);
  }

  private void append(AttendedRequest request) {
    request.earlier = newest;
    request.later = null;
    if (newest == null) {
      oldest = request;
    } else {
      newest.later = request;
    }
    newest = request;
    if (lastCollected == null) {
      firstCollected = request;
    } else {
      lastCollected.behind = request;
    }
    lastCollected = request;
    collecting = true;
  }

  private void release(AttendedRequest request) {
    request.clear();
    if (pooled < POOLED) {
      pooled++;
      request.later = pool;
      pool = request;
    }
  }

  /** A request was carried out; its object may be used again. */
  private synchronized void left(AttendedRequest request) {
    if (request.earlier == null) {
      oldest = request.later;
    } else {
      request.earlier.later = request.later;
    }
    if (request.later == null) {
      newest = request.earlier;
    } else {
      request.later.earlier = request.earlier;
    }
    release(request);
  }

  @Override
  public void endOfBatch() {
    // A flush may be collected just before the member is alone.
    if (collecting && !IoThread.defer(dispatch)) {
      dispatch();
    }
  }

  private void dispatch() {
    AttendedRequest first;
    synchronized (this) {
      first = firstCollected;
      firstCollected = null;
      lastCollected = null;
      collecting = false;
    }
    if (first != null) {
      execute(first);
    }
  }

  private void execute(Runnable work) {
    try {
      around.executor().execute(work);
    } catch (RejectedExecutionException e) {
      // The engine has stopped; what is left to do is to end.
      work.run();
    }
  }

  /** Lets a request have its effect, unless the session has ended, and answers it. */
  void carryOut(AttendedRequest request) {
    int ticket = session.enter();
    if (ticket < 0) {
      request.completed(
          new StorageException(
              ErrorCode.FORBIDDEN, "replica " + name() + " was closed, perhaps for another engine"),
          0);
    } else {
      try {
        request.on(replica);
      } finally {
        session.leave(ticket);
      }
    }
    MemberCompletion told = request.waiting();
    StorageException failure = request.failure();
    long done = request.done();
    left(request);
    if (told != null) {
      told.completed(failure, done);
    }
  }

  /** Does what blocks, and waits for it as long as the member is waited for. */
  private <T> T call(AttendedCall.Work<T> work, int timeouts) throws StorageException {
    if (!attended) {
      return work.run();
    }
    AttendedCall<T> call = new AttendedCall<>(work, timeouts, around.clock().nanoTime());
    synchronized (this) {
      if (ended != null) {
        throw ended;
      }
      calls.add(call);
      tickLater();
    }
    try {
      execute(call);
      return call.await();
    } finally {
      synchronized (this) {
        calls.remove(call);
      }
    }
  }

  /** Does what has to look at a whole replica, perhaps. */
  <T> T longCall(AttendedCall.Work<T> work) throws StorageException {
    return call(work, LONG);
  }

  /** Does what takes as long as there is to copy. */
  <T> T unlimitedCall(AttendedCall.Work<T> work) throws StorageException {
    return call(work, UNLIMITED);
  }

  /** Something without an answer. */
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

  // The caller has the lock.
  private void tickLater() {
    if (!ticking) {
      ticking = true;
      around.clock().later(around.timeout().dividedBy(TICKS), this::tick);
    }
  }

  private void tick() {
    boolean late;
    synchronized (this) {
      ticking = false;
      if (ended != null || (oldest == null && calls.isEmpty())) {
        return;
      }
      late = isLate(patience);
      tickLater();
    }
    if (late && othersWork.getAsBoolean()) {
      end(
          new StorageException(
              ErrorCode.TIMEOUT,
              "replica "
                  + name()
                  + ": its disk at "
                  + location().diskPath()
                  + " did not answer within "
                  + patience.toMillis()
                  + " ms"));
    }
  }

  // The caller has the lock.
  private boolean isLate(Duration most) {
    long now = around.clock().nanoTime();
    long nanos = most.toNanos();
    return (oldest != null && now - oldest.since() > nanos)
        || calls.stream().anyMatch(call -> call.isLate(now, nanos))
        || (hurried
            && now - hurriedAt > nanos
            && calls.stream().anyMatch(call -> call.isBefore(hurriedAt)));
  }

  private void end(StorageException cause) {
    List<AttendedRequest> unanswered = new ArrayList<>();
    List<AttendedCall<?>> waiting;
    synchronized (this) {
      if (ended != null) {
        return;
      }
      ended = cause;
      for (AttendedRequest request = oldest; request != null; request = request.later) {
        unanswered.add(request);
      }
      waiting = List.copyOf(calls);
    }
    around.hung().add(location());
    // Dropped before its requests end, so that the end of each begins the decision.
    endListener.accept(cause);
    unanswered.forEach(request -> request.abandon(cause));
    waiting.forEach(call -> call.abandon(cause));
    if (unanswered.isEmpty()) {
      idleListener.run();
    }
    execute(this::letGo);
  }

  /**
   * Ends it while a request on a caller's thread hangs in its disk: nobody is let in before that
   * has ended.
   *
   * @param idle returns then
   */
  public void endAfter(Runnable idle) {
    synchronized (this) {
      if (ended != null) {
        return;
      }
      ended = new StorageException(ErrorCode.TIMEOUT, "replica " + name() + ": its disk hangs");
    }
    around.hung().add(location());
    execute(
        () -> {
          idle.run();
          letGo();
        });
  }

  // Waits for what hangs. From then on others may be let in.
  private void letGo() {
    session.close();
    around.hung().remove(location());
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
    // A coalescing is waited for; but this comes last, and an end must come.
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

  /** What hangs in the disk is waited for elsewhere; until it ends, nobody is let in. */
  @Override
  public void close() {
    hurry();
    endListener = cause -> {};
    idleListener = () -> {};
    try {
      step(session::close, 1);
    } catch (StorageException e) {
      LOG.warn("{}; it is closed when that answers", e.getMessage());
    }
  }
}
