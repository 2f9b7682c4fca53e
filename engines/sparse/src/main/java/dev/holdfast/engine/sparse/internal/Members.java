package dev.holdfast.engine.sparse.internal;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The current replicas as one: every change goes to all of them, a read to one. Requests run on the
 * caller's thread. A single replica without snapshots needs no ordering and takes no lock.
 */
final class Members {
  /** A change that is asked of every member. */
  @FunctionalInterface
  private interface Change {
    void apply(Member replica) throws StorageException;
  }

  // A region of the volume's offsets is read from one member, so that the others' pages do not fill
  // the host's memory with the same bytes.
  private static final int READ_SPREAD_SHIFT = 20;

  private final WriteIntents intents;
  private final FailureRule failureRule;
  private final RangeLocks ranges;
  private volatile Member[] current;

  Members(List<Member> replicas, WriteIntents intents, FailureRule failureRule) {
    this.current = replicas.toArray(new Member[0]);
    this.intents = intents;
    this.failureRule = failureRule;
    boolean alone = current.length == 1 && !current[0].chained();
    this.ranges = alone ? null : new RangeLocks();
  }

  List<Member> current() {
    return List.of(current);
  }

  /** Replaces the members; no request may be at work. */
  void replace(List<Member> replicas) {
    current = replicas.toArray(new Member[0]);
  }

  void read(long offset, ByteBuffer target) throws StorageException {
    Member[] now = current;
    if (ranges == null) {
      Awaited.read(now[0], offset, target);
      return;
    }
    int length = target.remaining();
    ranges.lock(offset, length, false);
    try {
      readAny(now, offset, target);
    } finally {
      ranges.unlock(offset, length, false);
    }
  }

  private void readAny(Member[] now, long offset, ByteBuffer target) throws StorageException {
    int start = target.position();
    int first = (int) ((offset >> READ_SPREAD_SHIFT) % now.length);
    List<MemberFailure> failures = null;
    for (int i = 0; i < now.length; i++) {
      Member replica = now[(first + i) % now.length];
      try {
        Awaited.read(replica, offset, target.position(start));
        if (failures != null) {
          failureRule.readFailed(failures);
        }
        return;
      } catch (StorageException e) {
        failures = add(failures, replica, e, 0);
      }
    }
    throw failures.get(0).cause();
  }

  void write(long offset, ByteBuffer source) throws StorageException {
    Member[] now = current;
    int length = source.remaining();
    if (length == 0) {
      return;
    }
    if (!intents.covers(offset, length)) {
      mark(now, offset, length);
    }
    if (ranges == null) {
      Awaited.write(now[0], offset, source);
      return;
    }
    ranges.lock(offset, length, true);
    try {
      writeAll(now, offset, source);
    } finally {
      ranges.unlock(offset, length, true);
    }
  }

  private void writeAll(Member[] now, long offset, ByteBuffer source) throws StorageException {
    int start = source.position();
    int length = source.remaining();
    List<MemberFailure> failures = null;
    for (Member replica : now) {
      try {
        Awaited.write(replica, offset, source.position(start));
      } catch (StorageException e) {
        failures = add(failures, replica, e, source.position() - start);
      }
    }
    source.position(start + length);
    if (failures != null) {
      failureRule.changeFailed(List.of(now), failures, offset, length);
    }
  }

  void zero(long offset, long length, boolean allocated) throws StorageException {
    if (length > 0) {
      Member[] now = current;
      if (!intents.covers(offset, length)) {
        mark(now, offset, length);
      }
      changeAll(now, offset, length, replica -> Awaited.zero(replica, offset, length, allocated));
    }
  }

  private void changeAll(Member[] now, long offset, long length, Change change)
      throws StorageException {
    if (ranges != null) {
      ranges.lock(offset, length, true);
    }
    try {
      List<MemberFailure> failures = tryAll(now, change);
      if (failures != null) {
        failureRule.changeFailed(List.of(now), failures, offset, length);
      }
    } finally {
      if (ranges != null) {
        ranges.unlock(offset, length, true);
      }
    }
  }

  // One at a time: two marking threads would make the members' logs longer for nothing.
  private synchronized void mark(Member[] now, long offset, long length) throws StorageException {
    if (intents.covers(offset, length)) {
      return;
    }
    int first = Regions.of(offset);
    int count = Regions.of(offset + length - 1) - first + 1;
    BitSet regions = new BitSet();
    regions.set(first, first + count);
    List<MemberFailure> failures = tryAll(now, replica -> replica.mark(regions));
    if (failures != null) {
      failureRule.markFailed(List.of(now), failures);
    }
    intents.marked(first, count);
  }

  /** Makes the members' durable marks those of memory, where marks were taken back. */
  synchronized void storeMarks() {
    List<MemberFailure> failures = tryAll(current, replica -> replica.replaceMarks(intents.all()));
    if (failures != null) {
      failureRule.marksNotStored(failures);
    }
  }

  private static List<MemberFailure> tryAll(Member[] now, Change change) {
    List<MemberFailure> failures = null;
    for (Member replica : now) {
      try {
        change.apply(replica);
      } catch (StorageException e) {
        failures = add(failures, replica, e, 0);
      }
    }
    return failures;
  }

  private static List<MemberFailure> add(
      List<MemberFailure> failures, Member replica, StorageException cause, long done) {
    List<MemberFailure> all = failures == null ? new ArrayList<>() : failures;
    all.add(new MemberFailure(replica, cause, done));
    return all;
  }

  void extents(long offset, long length, ExtentVisitor visitor) throws StorageException {
    Member replica = current[0];
    Awaited.extents(replica, offset, length, visitor);
  }
}
