package dev.holdfast.engine.sparse.internal.volume;

import dev.holdfast.engine.Membership;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.chain.ReplicaChain;
import dev.holdfast.engine.sparse.internal.members.BlockingMemberIo;
import dev.holdfast.engine.sparse.internal.members.Broadcast;
import dev.holdfast.engine.sparse.internal.members.MemberFailure;
import dev.holdfast.engine.sparse.internal.members.MembershipManager;
import dev.holdfast.engine.sparse.internal.members.RegisterRecord;
import dev.holdfast.engine.sparse.internal.members.ReplicaFanout;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.RequestGate;
import dev.holdfast.engine.sparse.internal.replica.Uninterruptibly;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Structural operations on all members of an open volume, one at a time:
 *
 * <pre>
 *   flush -> recorded as pending -> gate, drain, flush -> every member -> failures dropped
 *         -> no longer pending
 * </pre>
 *
 * <p>A start finishes a pending operation. An operation is therefore performed by all members of
 * every epoch that is decided after it was recorded, or by none.
 */
public final class ChainCoordinator {
  private static final Logger LOG = LoggerFactory.getLogger(ChainCoordinator.class);

  private final String volume;
  private final RegisterRecord record;
  private final ReplicaFanout members;
  private final MembershipManager keeper;
  private final RequestGate gate;
  private final Duration registerRetry;
  private final Executor executor;
  private final Broadcast fan;

  // Guarded by itself: snapshots that must not be coalesced, with the number of locks.
  private final Map<String, Integer> locked = new HashMap<>();
  private final Object coalescer = new Object();
  // Guarded by coalescer.
  private boolean coalescing;
  private boolean coalesceAgain;
  private boolean frozen;
  // Guarded by this: an operation is recorded and waits until requests are held.
  private boolean prepared;
  private final AtomicLong changes = new AtomicLong();
  private final AtomicLong unlocks = new AtomicLong();

  ChainCoordinator(
      String volume,
      RegisterRecord record,
      ReplicaFanout members,
      MembershipManager keeper,
      RequestGate gate,
      Executor executor,
      Duration registerRetry) {
    this.volume = volume;
    this.record = record;
    this.members = members;
    this.keeper = keeper;
    this.gate = gate;
    this.executor = executor;
    this.registerRetry = registerRetry;
    this.fan = new Broadcast(executor);
  }

  /**
   * Performs an operation on all members. Blocks, also while the register is unreachable.
   *
   * @param last action after all members have performed it, while no request is in flight
   */
  public synchronized void run(ChainOperation operation, Runnable last) throws StorageException {
    begin(operation);
    Optional<StorageException> refusal = onAll(operation, last);
    keeper.awaitSettled();
    end(
        stored ->
            refusal.isPresent()
                ? stored
                : RegisterRecords.withSize(stored, operation.sizeAfter(stored.sizeBytes())));
    if (refusal.isPresent()) {
      throw refusal.get();
    }
  }

  private void begin(ChainOperation operation) throws StorageException {
    Uninterruptibly.awaitWhile(this, () -> prepared);
    checkNotFrozen(operation);
    checkNonePending();
    changes.incrementAndGet();
    String pending = operation.encoded();
    register(stored -> RegisterRecords.withPending(stored, pending));
  }

  private void end(UnaryOperator<Membership> change) throws StorageException {
    checkOpen();
    register(stored -> RegisterRecords.withPending(change.apply(stored), ""));
  }

  /**
   * Records an operation as pending, so that the members can perform it while requests are held,
   * without the register. Other operations wait until the result is closed.
   */
  public synchronized Prepared prepare(ChainOperation operation) throws StorageException {
    begin(operation);
    prepared = true;
    return new Prepared(operation);
  }

  /** An operation that is recorded as pending. For one thread. */
  public final class Prepared {
    private final ChainOperation operation;
    private boolean over;
    // Possibly done on some members only: then it stays recorded until an opening finishes it.
    private boolean brokenOff;

    private Prepared(ChainOperation operation) {
      this.operation = operation;
    }

    /** Performs the operation on all members. Does not use the register unless a member fails. */
    public void perform() throws StorageException {
      synchronized (ChainCoordinator.this) {
        brokenOff = true;
        Optional<StorageException> refusal = onAll(operation, () -> {});
        brokenOff = false;
        if (refusal.isPresent()) {
          throw refusal.get();
        }
      }
    }

    /** Ends the operation. Blocks, also while the register is unreachable. Idempotent. */
    public void close() throws StorageException {
      synchronized (ChainCoordinator.this) {
        if (over) {
          return;
        }
        over = true;
        try {
          if (!brokenOff) {
            keeper.awaitSettled();
            end(stored -> stored);
          }
        } finally {
          prepared = false;
          ChainCoordinator.this.notifyAll();
        }
      }
    }
  }

  private void register(UnaryOperator<Membership> change) throws StorageException {
    while (!attempt(change)) {
      checkOpen();
      keeper.pause(registerRetry);
    }
  }

  private boolean attempt(UnaryOperator<Membership> change) throws StorageException {
    try {
      return record.change(change);
    } catch (StorageException e) {
      keeper.fail(e);
      throw e;
    }
  }

  private void checkOpen() throws StorageException {
    if (gate.closed()) {
      throw new StorageException(
          ErrorCode.IO,
          "volume " + volume + " was closed during an operation; the next attach completes it");
    }
  }

  // An interrupted operation may be done on some members only: it stays recorded until an opening
  // finishes it.
  private void checkNonePending() throws StorageException {
    checkOpen();
    if (!record.stored().pendingOperation().isEmpty()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume " + volume + ": its last operation has not ended; attach the volume again");
    }
  }

  private Optional<StorageException> onAll(ChainOperation operation, Runnable last)
      throws StorageException {
    List<StorageException> refusal = new ArrayList<>();
    boolean done = false;
    while (!done) {
      keeper.awaitSettled();
      checkOpen();
      done =
          keeper.still(
              () -> {
                refusal.clear();
                refusal.addAll(perform(operation));
                if (refusal.isEmpty()) {
                  last.run();
                }
              });
    }
    return refusal.stream().findFirst();
  }

  // Flush first: afterwards the content of the layers is durable and equal on all members, also
  // after a power cut. Marks do not cover layers below the head.
  private List<StorageException> perform(ChainOperation operation) {
    List<Member> writers = List.of(members.team().writers());
    List<MemberFailure> unsynced = fan.each(writers, BlockingMemberIo::sync);
    unsynced.forEach(failure -> keeper.drop(failure.member(), failure.cause()));
    List<Member> synced = new ArrayList<>(writers);
    unsynced.forEach(failure -> synced.remove(failure.member()));
    List<MemberFailure> failures = fan.each(synced, member -> member.chain().perform(operation));
    Optional<StorageException> refusal = refusal(synced, unsynced, failures);
    if (refusal.isPresent()) {
      dropUnlikeOthers(
          failures.stream().filter(one -> !ChainOperation.refused(one.cause())).toList());
      return List.of(refusal.get());
    }
    if (operation.kind() == ChainOperation.Kind.EXPAND && !failures.isEmpty()) {
      withdraw(operation, synced);
      return List.of(notGrown(failures.get(0)));
    }
    failures.forEach(failure -> keeper.drop(failure.member(), failure.cause()));
    if (operation.reverts()) {
      keeper.failedDifferAnywhere();
    }
    return List.of();
  }

  // A failed member may have performed an operation durably that the others refused, or may not
  // have rolled back as they did. Marks do not show such differences.
  private void dropUnlikeOthers(List<MemberFailure> failures) {
    failures.forEach(failure -> keeper.drop(failure.member(), failure.cause()));
    if (!failures.isEmpty()) {
      keeper.failedDifferAnywhere();
    }
  }

  // Returns why no member performed the operation, if none did. Members that refused are unchanged,
  // so the operation counts as refused even if another member failed, which is dropped. The target
  // of a rebuild does not count: it may be the only one that performed the operation, or fail for
  // another reason.
  private Optional<StorageException> refusal(
      List<Member> synced, List<MemberFailure> unsynced, List<MemberFailure> failures) {
    long asked = synced.stream().filter(member -> !keeper.isTarget(member)).count();
    List<StorageException> causes =
        (asked == 0 ? unsynced : failures)
            .stream()
                .filter(failure -> !keeper.isTarget(failure.member()))
                .map(MemberFailure::cause)
                .toList();
    if (asked == 0) {
      return Optional.of(causes.get(0));
    }
    return causes.size() == asked
        ? causes.stream().filter(ChainOperation::refused).findFirst()
        : Optional.empty();
  }

  // No request was admitted since, so the added space holds no data. A member that cannot roll back
  // may differ from the others.
  private void withdraw(ChainOperation expansion, List<Member> all) {
    ChainOperation back = expansion.withdrawn(record.stored().sizeBytes());
    dropUnlikeOthers(fan.each(all, member -> member.chain().perform(back)));
  }

  private StorageException notGrown(MemberFailure failure) {
    return new StorageException(
        failure.cause().code(),
        "volume "
            + volume
            + " keeps its size of "
            + record.stored().sizeBytes()
            + " bytes, because replica "
            + failure.member().name()
            + " cannot grow: "
            + failure.cause().getMessage(),
        failure.cause());
  }

  /** Work that may fail. */
  @FunctionalInterface
  public interface Work {
    void run() throws StorageException;
  }

  /** Returns the recorded size in bytes; the device reports a growth shortly afterwards. */
  public long sizeBytes() {
    return record.stored().sizeBytes();
  }

  /** Returns a number that changes with each structural operation. */
  public long changes() {
    return changes.get();
  }

  /** Returns a number that changes each time a snapshot is unlocked. */
  long unlocks() {
    return unlocks.get();
  }

  /** Does work while no structural operation runs. */
  public synchronized void alone(Work work) throws StorageException {
    work.run();
  }

  /**
   * Keeps all layers unchanged until {@link #thaw}, except that snapshots may be added. Waits for a
   * running operation: the target of a rebuild would otherwise miss an expansion that ends later.
   */
  public void freeze() {
    synchronized (coalescer) {
      frozen = true;
      awaitCoalesced();
    }
    synchronized (this) {
      // A running operation has ended. A later one finds the flag.
    }
  }

  // The caller holds the coalescer's monitor.
  private void awaitCoalesced() {
    Uninterruptibly.awaitWhile(coalescer, () -> coalescing);
  }

  /** Ends {@link #freeze} and starts the coalescing that waited for it. */
  public void thaw() {
    synchronized (coalescer) {
      frozen = false;
    }
    coalesce();
  }

  boolean frozen() {
    synchronized (coalescer) {
      return frozen;
    }
  }

  private void checkNotFrozen(ChainOperation operation) throws StorageException {
    boolean excluded =
        switch (operation.kind()) {
          case REVERT, EXPAND, SHRINK -> true;
          case SNAPSHOT, REMOVE -> false;
        };
    if (excluded && frozen()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume " + volume + ": a replica is being rebuilt; try again when it is done");
    }
  }

  /** Removes a replica from the members. Blocks. */
  public synchronized void remove(String replica) throws StorageException {
    boolean done = false;
    while (!done) {
      keeper.awaitSettled();
      checkOpen();
      done = keeper.still(() -> removeNow(replica));
    }
  }

  private void removeNow(String replica) throws StorageException {
    for (Member member : members.current()) {
      if (member.name().equals(replica)) {
        keeper.remove(member);
        // After this, no request of this engine reaches the replica, so it may be deleted.
        member.close();
        return;
      }
    }
  }

  /** Lists the snapshots, as one member reports them. */
  public List<SnapshotInfo> snapshots() throws StorageException {
    return ask(ReplicaChain::snapshots);
  }

  /** A question that any member can answer. */
  @FunctionalInterface
  public interface Question<T> {
    T to(ReplicaChain chain) throws StorageException;
  }

  /** Calls one member, and another one if it fails. */
  public <T> T ask(Question<T> question) throws StorageException {
    StorageException failure = null;
    for (Member member : members.team().data()) {
      try {
        return question.to(member.chain());
      } catch (StorageException e) {
        if (ChainOperation.refused(e)) {
          throw e;
        }
        failure = e;
      }
    }
    throw failure;
  }

  /** Keeps the layers of a snapshot unchanged until the matching {@link #unlock}. */
  public void lock(String snapshot) {
    synchronized (locked) {
      locked.merge(snapshot, 1, Integer::sum);
    }
  }

  /**
   * As {@link #lock}, and waits for a running coalescing: after the return the layers do not
   * change. Blocks.
   */
  public void settle(String snapshot) {
    lock(snapshot);
    synchronized (coalescer) {
      awaitCoalesced();
    }
  }

  /** Ends one {@link #lock} and starts the coalescing that waited for it. */
  public void unlock(String snapshot) {
    synchronized (locked) {
      locked.computeIfPresent(snapshot, (name, count) -> count == 1 ? null : count - 1);
    }
    unlocks.incrementAndGet();
    coalesce();
  }

  Set<String> locked() {
    synchronized (locked) {
      return Set.copyOf(locked.keySet());
    }
  }

  /** Coalesces removed snapshots in the background on every member. */
  public void coalesce() {
    synchronized (coalescer) {
      if (coalescing || frozen || gate.closed()) {
        coalesceAgain = true;
        return;
      }
      coalescing = true;
    }
    executor.execute(this::coalesceAll);
  }

  private void coalesceAll() {
    boolean again = true;
    while (again) {
      if (!gate.closed()) {
        fan.each(members.team().data(), this::coalesce);
      }
      synchronized (coalescer) {
        again = coalesceAgain && !frozen && !gate.closed();
        coalesceAgain = false;
        coalescing = again;
        coalescer.notifyAll();
      }
    }
  }

  private void coalesce(Member member) {
    try {
      while (!gate.closed() && !frozen() && member.chain().coalesce(locked())) {
        LOG.debug("volume {}: replica {} coalesced a snapshot", volume, member.name());
      }
    } catch (StorageException e) {
      // The layers are unchanged, and the next attempt continues.
      if (!gate.closed()) {
        LOG.warn("volume {}: could not coalesce removed snapshots: {}", volume, e.getMessage());
      }
    }
  }
}
