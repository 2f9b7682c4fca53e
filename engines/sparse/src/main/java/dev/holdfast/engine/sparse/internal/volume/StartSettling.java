package dev.holdfast.engine.sparse.internal.volume;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.members.BlockingMemberIo;
import dev.holdfast.engine.sparse.internal.members.MemberFailure;
import dev.holdfast.engine.sparse.internal.members.ReplicaResync;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.Regions;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the current replicas equal while a volume opens, and finishes a pending structural
 * operation (docs/REPLICATION.md, "Start", step 5). May be done again with fewer replicas.
 */
final class StartSettling {
  private static final Logger LOG = LoggerFactory.getLogger(StartSettling.class);

  private final String volume;
  private final Optional<ChainOperation> pending;
  private final long size;
  private final Map<ReplicaLocation, StorageException> missing;

  /**
   * Prepares.
   *
   * @param pending the operation that the last engine did not finish
   * @param size of the volume before it
   * @param missing gets the replicas that cannot finish it, with the reason
   */
  StartSettling(
      String volume,
      Optional<ChainOperation> pending,
      long size,
      Map<ReplicaLocation, StorageException> missing) {
    this.volume = volume;
    this.pending = pending;
    this.size = size;
    this.missing = missing;
  }

  /**
   * Result of an attempt.
   *
   * @param current the replicas that are equal now, unless one failed
   * @param size of the volume
   * @param givenUp whether the pending operation was not made
   * @param failed a replica that could not be made equal to the others, or could not serve as their
   *     source
   */
  record Settled(
      List<Member> current, long size, boolean givenUp, Optional<MemberFailure> failed) {}

  Settled settle(StartRule.Start start, BitSet marks) throws StorageException {
    boolean reverts = pending.filter(ChainOperation::reverts).isPresent();
    Optional<MemberFailure> failed =
        reverts ? Optional.empty() : equalize(madeFirst(start.data()), marks);
    if (pending.isEmpty() || failed.isPresent()) {
      return new Settled(start.current(), size, false, failed);
    }
    boolean made = finish(pending.get(), start.current());
    List<Member> current = withoutMissing(start.current());
    requireData(current);
    if (reverts) {
      // Not before: a restored one would get what another has still to throw away.
      failed = equalize(current.stream().filter(member -> !member.witness()).toList(), marks);
    }
    return new Settled(current, made ? pending.get().sizeAfter(size) : size, !made, failed);
  }

  // Nothing changes a layer below the head. A member that took a pending snapshot, in a start that
  // died before its epoch was recorded, has content in it that the others also get in theirs when
  // they receive it.
  private List<Member> madeFirst(List<Member> data) throws StorageException {
    List<Member> made = new ArrayList<>();
    List<Member> others = new ArrayList<>();
    for (Member member : data) {
      (pending.isPresent() && hasSnapshot(member, pending.get()) ? made : others).add(member);
    }
    made.addAll(others);
    return made;
  }

  private static boolean hasSnapshot(Member member, ChainOperation pending)
      throws StorageException {
    return pending.kind() == ChainOperation.Kind.SNAPSHOT
        && member.chain().snapshots().stream()
            .anyMatch(snapshot -> snapshot.name().equals(pending.snapshot()));
  }

  // What was in flight when the last engine ended may be on some replicas only.
  private Optional<MemberFailure> equalize(List<Member> current, BitSet marks) {
    Optional<MemberFailure> failed = Optional.empty();
    if (current.size() > 1 && !marks.isEmpty()) {
      LOG.info(
          "volume {}: makes {} regions of {} replicas identical",
          volume,
          marks.cardinality(),
          current.size());
      failed = noteMissed(current, marks);
      ReplicaResync equalizer = new ReplicaResync();
      for (int region = marks.nextSetBit(0);
          region >= 0 && failed.isEmpty();
          region = marks.nextSetBit(region + 1)) {
        long offset = (long) region << Regions.SHIFT;
        long length = Math.min(1L << Regions.SHIFT, size - offset);
        failed = equalizer.copy(current.get(0), current.subList(1, current.size()), offset, length);
      }
    }
    return marks.isEmpty() || failed.isPresent() ? failed : sync(current);
  }

  // A replica may get a write from another one here that it never marked, so it has not noted that
  // absent replicas miss it. It notes that before it is changed: the other one, whose records
  // contain the write, may be absent itself during their rebuild.
  private static Optional<MemberFailure> noteMissed(List<Member> current, BitSet marks) {
    for (Member replica : current) {
      try {
        LayerAccess notes = new LayerAccess(replica);
        Map<String, BitSet> missed = notes.missed();
        Map<String, BitSet> more = new TreeMap<>();
        missed.forEach(
            (id, regions) -> {
              BitSet both = (BitSet) marks.clone();
              both.or(regions);
              more.put(id, both);
            });
        if (!more.equals(missed)) {
          notes.replaceMissed(more);
        }
      } catch (StorageException e) {
        return Optional.of(new MemberFailure(replica, e, 0));
      }
    }
    return Optional.empty();
  }

  private static Optional<MemberFailure> sync(List<Member> current) {
    for (Member replica : current) {
      try {
        BlockingMemberIo.sync(replica);
      } catch (StorageException e) {
        return Optional.of(new MemberFailure(replica, e, 0));
      }
    }
    return Optional.empty();
  }

  // A structural operation that the last engine did not finish: those that have made it do nothing.
  // Returns whether it is complete now; members that failed are missing then.
  private boolean finish(ChainOperation operation, List<Member> current) throws StorageException {
    List<MemberFailure> failures = new ArrayList<>();
    boolean made = false;
    for (Member member : current) {
      if (!member.witness()) {
        try {
          member.chain().perform(operation);
          made = true;
        } catch (StorageException e) {
          missing.put(member.location(), e);
          failures.add(new MemberFailure(member, e, 0));
        }
      }
    }
    boolean refused = failures.stream().allMatch(one -> ChainOperation.refused(one.cause()));
    if (made) {
      // A member that had grown before may have received writes.
      boolean unused = failures.stream().allMatch(one -> one.member().size() == size);
      boolean back = operation.kind() == ChainOperation.Kind.EXPAND && refused && unused;
      if (back && !failures.isEmpty()) {
        withdraw(operation, current);
        return false;
      }
      return true;
    }
    for (MemberFailure failure : failures) {
      if (!ChainOperation.refused(failure.cause())) {
        throw failure.cause();
      }
    }
    // No replica can make it, and none has: it is given up, and they are as equal as before.
    current.forEach(member -> missing.remove(member.location()));
    return false;
  }

  private List<Member> withoutMissing(List<Member> members) {
    return members.stream().filter(member -> !missing.containsKey(member.location())).toList();
  }

  private void requireData(List<Member> current) throws StorageException {
    if (current.stream().allMatch(Member::witness)) {
      StringBuilder why = new StringBuilder("volume ").append(volume);
      why.append(" cannot be opened: no replica could end its last operation");
      missing.values().forEach(failure -> why.append("; ").append(failure.getMessage()));
      throw new StorageException(ErrorCode.IO, why.toString());
    }
  }

  // The engine before died between the replicas: nothing was written to those that had grown.
  private void withdraw(ChainOperation expansion, List<Member> current) {
    ChainOperation back = expansion.withdrawn(size);
    for (Member member : current) {
      if (!member.witness()) {
        try {
          member.chain().perform(back);
          missing.remove(member.location());
        } catch (StorageException e) {
          missing.put(member.location(), e);
        }
      }
    }
  }
}
