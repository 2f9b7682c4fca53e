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
 * operation (docs/REPLICATION.md, "Start", step 5). May be repeated with fewer replicas.
 */
final class StartSettling {
  private static final Logger LOG = LoggerFactory.getLogger(StartSettling.class);

  private final String volume;
  private final Optional<ChainOperation> pending;
  private final long size;
  private final Map<ReplicaLocation, StorageException> missing;

  /**
   * Prepares the settling of one opening.
   *
   * @param pending the operation that the previous engine did not finish
   * @param size size of the volume in bytes before the operation
   * @param missing receives the replicas that cannot finish it, with the cause
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
   * @param current the replicas, which are equal now unless one failed
   * @param size size of the volume in bytes
   * @param givenUp whether the pending operation was abandoned
   * @param failed a replica that could not be made equal to the others, or could not be their
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
      // Not before the revert: a replica that has reverted would receive data that another replica
      // has yet to discard.
      failed = equalize(current.stream().filter(member -> !member.witness()).toList(), marks);
    }
    return new Settled(current, made ? pending.get().sizeAfter(size) : size, !made, failed);
  }

  // Layers below the head are never changed here. Suppose that a member performed a pending
  // snapshot in a start that crashed before it recorded its epoch. Its layer then has content that
  // the others receive in their heads before they perform the snapshot.
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

  // Writes in flight at the end of the previous engine may be on some replicas only.
  private Optional<MemberFailure> equalize(List<Member> current, BitSet marks) {
    Optional<MemberFailure> failed = Optional.empty();
    if (current.size() > 1 && !marks.isEmpty()) {
      LOG.info(
          "volume {}: making {} regions of {} replicas identical",
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

  // Here a replica may receive a write from another replica in a region that it never marked. It
  // must record that absent replicas miss that region before it is changed. The other replica,
  // whose records contain the write, may itself be absent during their rebuild.
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

  // Finishes a structural operation of the previous engine; replicas that have performed it do
  // nothing. Returns whether it is complete now. Members that failed are then missing.
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
      // A member that had already grown may have received writes.
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
    // No replica can perform the operation, and none has: it is abandoned, and the replicas are as
    // equal as before.
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

  // The previous engine crashed between the replicas: the added space holds no data.
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
