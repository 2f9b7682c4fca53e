package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Decides what follows when some members failed in a request to all: drop them and continue, or
 * report an error to the client. Before an error, the members are made equal: a failed request may
 * leave old, new or mixed content, but the same on all.
 *
 * <pre>
 *   some failed, not for lack of space                 drop those
 *   some are full, others on other file systems not    drop the full ones
 *   some are full, others share their file system      equalize, NO_SPACE to the client
 *   all failed, some for lack of space                 drop the others, equalize, NO_SPACE
 *   all failed                                         equalize, the error to the client
 * </pre>
 */
public final class FailureRule {
  private static final Duration ASKED_AGAIN = Duration.ofMillis(100);

  private final MembershipManager keeper;

  public FailureRule(MembershipManager keeper) {
    this.keeper = keeper;
  }

  /** Drops the members that failed to read data that another member returned. */
  void readFailed(List<MemberFailure> failures) {
    failures.forEach(failure -> keeper.drop(failure.member(), failure.cause()));
  }

  /**
   * Waits {@link #ASKED_AGAIN} and returns whether every member was unreachable. The engine itself
   * may be cut off then, so it repeats the request instead of reporting a failure or dropping a
   * replica.
   */
  boolean nobodyAnswered(List<Member> writers, List<MemberFailure> failed) {
    long away =
        failed.stream()
            .filter(failure -> !keeper.isTarget(failure.member()) && failure.away())
            .count();
    return away > 0 && away == members(writers).size() && keeper.stillOpenAfter(ASKED_AGAIN);
  }

  /** Handles members that failed to mark a region; no data was written into it yet. */
  void markFailed(List<Member> writers, List<MemberFailure> failed) throws StorageException {
    List<Member> all = members(writers);
    List<MemberFailure> failures = ofMembers(failed);
    if (!othersGoOn(took(all, failures), failures)) {
      throw reported(failures);
    }
    failures.forEach(failure -> keeper.drop(failure.member(), failure.cause()));
  }

  private static List<Member> took(List<Member> all, List<MemberFailure> failures) {
    List<Member> took = new ArrayList<>(all);
    failures.forEach(failure -> took.remove(failure.member()));
    return took;
  }

  // Returns whether the members that executed the request suffice without the others.
  private static boolean othersGoOn(List<Member> took, List<MemberFailure> failures) {
    List<MemberFailure> full = failures.stream().filter(MemberFailure::noSpace).toList();
    return !took.isEmpty() && (full.isEmpty() || othersHaveSpace(took, full));
  }

  /**
   * Returns whether no member with data would remain, and one of the failed members is only
   * unreachable or full. It may return, or get space, so none is dropped.
   */
  static boolean lastOnesPassing(List<Member> all, List<MemberFailure> failures) {
    return took(all, failures).stream().allMatch(Member::witness)
        && failures.stream().anyMatch(one -> !one.member().witness() && one.passing());
  }

  /**
   * Returns the error for the client: a full disk first, because the client can react to it.
   * Otherwise an error that a member returned takes precedence over a missing reply.
   */
  static StorageException reported(List<MemberFailure> failures) {
    MemberFailure worst = failures.get(0);
    for (MemberFailure failure : failures) {
      if (!worst.noSpace() && (failure.noSpace() || (worst.away() && !failure.away()))) {
        worst = failure;
      }
    }
    return worst.cause();
  }

  /**
   * Handles members that may now have the old or the new log of marks. On a full disk it is
   * certainly the old log, which has more marks.
   */
  void marksNotStored(List<MemberFailure> failures) {
    for (MemberFailure failure : ofMembers(failures)) {
      if (!failure.noSpace()) {
        keeper.drop(failure.member(), failure.cause());
      }
    }
    keeper.settle();
  }

  /**
   * Handles members that failed to change a range that the caller has locked. Returns as soon as
   * the client may receive success, which is after the drop was decided.
   */
  void changeFailed(List<Member> writers, List<MemberFailure> failed, long offset, long length)
      throws StorageException {
    List<Member> all = members(writers);
    List<MemberFailure> failures = ofMembers(failed);
    if (failures.isEmpty()) {
      return;
    }
    List<MemberFailure> full = failures.stream().filter(MemberFailure::noSpace).toList();
    if (othersGoOn(took(all, failures), failures)) {
      failures.forEach(failure -> keeper.drop(failure.member(), failure.cause()));
      return;
    }
    for (Member writer : writers) {
      // The target may hold a write that the client received as failed; its layers must not be
      // read.
      keeper.dropTarget(writer, failures.get(0).cause());
    }
    List<Member> left = new ArrayList<>(all);
    for (MemberFailure failure : failures) {
      if (!full.isEmpty() && !failure.noSpace()) {
        left.remove(failure.member());
        keeper.drop(failure.member(), failure.cause());
      }
    }
    equalize(left, full.isEmpty() ? failures : full, offset, length);
    throw reported(failures);
  }

  private List<Member> members(List<Member> writers) {
    return writers.stream().filter(writer -> !keeper.isTarget(writer)).toList();
  }

  // The target of a rebuild is dropped immediately, because no read uses it.
  private List<MemberFailure> ofMembers(List<MemberFailure> failures) {
    failures.forEach(failure -> keeper.dropTarget(failure.member(), failure.cause()));
    return failures.stream().filter(failure -> !keeper.isTarget(failure.member())).toList();
  }

  // The member that wrote the fewest bytes is the source. The others have the remaining blocks
  // allocated, so writing its content there needs no space. A source must be readable.
  private void equalize(
      List<Member> members, List<MemberFailure> failures, long offset, long length) {
    List<MemberFailure> sources = new ArrayList<>(failures);
    sources.sort(Comparator.comparingLong(MemberFailure::done));
    ReplicaResync equalizer = new ReplicaResync();
    List<Member> left = new ArrayList<>(members);
    boolean changed = false;
    for (MemberFailure source : sources) {
      if (left.size() > 1 && !equalizer.readable(source.member(), offset, length)) {
        left.remove(source.member());
        keeper.drop(source.member(), source.cause());
      } else if (allMadeLike(source.member(), left, equalizer, offset, length)) {
        return;
      } else {
        changed = true;
      }
    }
    // Members that executed the whole request are equal, unless some were changed since.
    boolean equal = !changed;
    while (!equal) {
      equal = allMadeLike(left.get(0), left, equalizer, offset, length);
    }
  }

  // Drops the targets that fail, or the source. Returns false when the source failed, because the
  // others may differ then.
  private boolean allMadeLike(
      Member source, List<Member> left, ReplicaResync equalizer, long offset, long length) {
    for (Member target : List.copyOf(left)) {
      Optional<MemberFailure> failed =
          target == source ? Optional.empty() : equalizer.copy(source, target, offset, length);
      if (failed.isPresent()) {
        left.remove(failed.get().member());
        keeper.drop(failed.get().member(), failed.get().cause());
        if (failed.get().member() == source) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean othersHaveSpace(List<Member> took, List<MemberFailure> full) {
    List<Object> fullDevices = new ArrayList<>();
    full.forEach(failure -> fullDevices.add(device(failure.member())));
    return took.stream().noneMatch(other -> fullDevices.contains(device(other)));
  }

  private static Object device(Member replica) {
    if (!replica.local()) {
      return List.of(replica.location().nodeId(), replica.location().diskPath());
    }
    try {
      return Files.getAttribute(replica.location().diskPath(), "unix:dev");
    } catch (IOException | UnsupportedOperationException e) {
      return ErrorCode.IO;
    }
  }
}
