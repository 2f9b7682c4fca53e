package dev.holdfast.engine.sparse.internal;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The current replicas as one: every change goes to all of them, a read to one. Requests run on the
 * caller's thread. A single replica without snapshots needs no ordering and takes no lock.
 */
final class Members {
  /** A change that is asked of every member. */
  @FunctionalInterface
  private interface Change {
    void apply(Replica replica) throws IOException;
  }

  // A region of the volume's offsets is read from one member, so that the others' pages do not fill
  // the host's memory with the same bytes.
  private static final int READ_SPREAD_SHIFT = 20;

  private final WriteIntents intents;
  private final FailureRule failureRule;
  private final RangeLocks ranges;
  private volatile Replica[] current;

  Members(List<Replica> replicas, WriteIntents intents, FailureRule failureRule) {
    this.current = replicas.toArray(new Replica[0]);
    this.intents = intents;
    this.failureRule = failureRule;
    boolean alone = current.length == 1 && !current[0].chained();
    this.ranges = alone ? null : new RangeLocks();
  }

  List<Replica> current() {
    return List.of(current);
  }

  /** Replaces the members; no request may be at work. */
  void replace(List<Replica> replicas) {
    current = replicas.toArray(new Replica[0]);
  }

  void read(long offset, ByteBuffer target) throws StorageException {
    Replica[] now = current;
    if (ranges == null) {
      try {
        now[0].read(offset, target);
      } catch (IOException e) {
        throw StorageException.io("replica " + now[0].name(), e);
      }
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

  private void readAny(Replica[] now, long offset, ByteBuffer target) throws StorageException {
    int start = target.position();
    int first = (int) ((offset >> READ_SPREAD_SHIFT) % now.length);
    List<MemberFailure> failures = null;
    for (int i = 0; i < now.length; i++) {
      Replica replica = now[(first + i) % now.length];
      try {
        replica.read(offset, target.position(start));
        if (failures != null) {
          failureRule.readFailed(failures);
        }
        return;
      } catch (IOException e) {
        failures = add(failures, replica, e, 0);
      }
    }
    throw failures.get(0).exception();
  }

  void write(long offset, ByteBuffer source) throws StorageException {
    Replica[] now = current;
    int length = source.remaining();
    if (length == 0) {
      return;
    }
    if (!intents.covers(offset, length)) {
      mark(now, offset, length);
    }
    if (ranges == null) {
      try {
        now[0].write(offset, source);
      } catch (IOException e) {
        throw StorageException.io("replica " + now[0].name(), e);
      }
      return;
    }
    ranges.lock(offset, length, true);
    try {
      writeAll(now, offset, source);
    } finally {
      ranges.unlock(offset, length, true);
    }
  }

  private void writeAll(Replica[] now, long offset, ByteBuffer source) throws StorageException {
    int start = source.position();
    int length = source.remaining();
    List<MemberFailure> failures = null;
    for (Replica replica : now) {
      try {
        replica.write(offset, source.position(start));
      } catch (IOException e) {
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
      Replica[] now = current;
      if (!intents.covers(offset, length)) {
        mark(now, offset, length);
      }
      changeAll(now, offset, length, replica -> replica.zero(offset, length, allocated));
    }
  }

  private void changeAll(Replica[] now, long offset, long length, Change change)
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
  private synchronized void mark(Replica[] now, long offset, long length) throws StorageException {
    if (intents.covers(offset, length)) {
      return;
    }
    int first = Regions.of(offset);
    int count = Regions.of(offset + length - 1) - first + 1;
    List<MemberFailure> failures = tryAll(now, replica -> replica.mark(first, count));
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

  private static List<MemberFailure> tryAll(Replica[] now, Change change) {
    List<MemberFailure> failures = null;
    for (Replica replica : now) {
      try {
        change.apply(replica);
      } catch (IOException e) {
        failures = add(failures, replica, e, 0);
      }
    }
    return failures;
  }

  private static List<MemberFailure> add(
      List<MemberFailure> failures, Replica replica, IOException cause, long done) {
    List<MemberFailure> all = failures == null ? new ArrayList<>() : failures;
    all.add(new MemberFailure(replica, cause, done));
    return all;
  }

  void extents(long offset, long length, ExtentVisitor visitor) throws StorageException {
    Replica replica = current[0];
    try {
      replica.extents(offset, length, visitor);
    } catch (IOException e) {
      throw StorageException.io("replica " + replica.name(), e);
    }
  }
}
