package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.replica.LocalReplica;
import dev.holdfast.engine.sparse.internal.replica.Member;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Immutable routing table: the members that receive writes and reads. Replaced only while no
 * request is in flight.
 */
public final class MemberSet {
  // Each region of a volume is read from one member, so that the hosts do not cache the same bytes
  // several times.
  private static final int READ_SPREAD_SHIFT = 20;

  private final List<Member> current;
  private final List<Member> targets;
  private final Member[] writers;
  private final Member[] readers;
  private final int nearReaders;
  private final LocalReplica alone;
  private final boolean near;

  /**
   * Creates a routing table.
   *
   * @param current members, witnesses included
   * @param targets targets of a rebuild, which receive every change and serve no read
   */
  public MemberSet(List<Member> current, List<Member> targets) {
    this.current = List.copyOf(current);
    this.targets = List.copyOf(targets);
    List<Member> data = new ArrayList<>(current);
    data.removeIf(Member::witness);
    List<Member> nearFirst = new ArrayList<>(data);
    nearFirst.sort(Comparator.comparing(member -> !member.local()));
    readers = nearFirst.toArray(new Member[0]);
    nearReaders = (int) data.stream().filter(Member::local).count();
    data.addAll(targets);
    // Remote members first: their requests run while the local members work.
    data.sort(Comparator.comparing(Member::local));
    writers = data.toArray(new Member[0]);
    near = data.stream().allMatch(Member::local) && (writers.length == 1 || !anyAttended());
    alone = writers.length == 1 ? replicaOf(writers[0]) : null;
  }

  private boolean anyAttended() {
    return Arrays.stream(writers).anyMatch(TimedMember.class::isInstance);
  }

  private static LocalReplica replicaOf(Member member) {
    if (member instanceof TimedMember attended) {
      return attended.replica();
    }
    return member instanceof LocalReplica local ? local : null;
  }

  /**
   * Sets for each local member whether other members work. Called while no request is in flight.
   */
  void attend() {
    for (Member writer : writers) {
      if (writer instanceof TimedMember attended) {
        attended.attend(writers.length > 1);
      }
    }
  }

  public List<Member> current() {
    return current;
  }

  List<Member> targets() {
    return targets;
  }

  /** Returns the current members that hold data. */
  public List<Member> data() {
    return List.of(readers);
  }

  /** Returns the members that receive every change, remote ones first. */
  public Member[] writers() {
    return writers;
  }

  /**
   * Returns the only writer if it is on this node and has no snapshots, so that requests need no
   * ordering and no waiting; else null.
   */
  LocalReplica alone() {
    return alone != null && !alone.chained() ? alone : null;
  }

  /** Returns whether every request ends on the thread that made it. */
  boolean near() {
    return near;
  }

  int readers() {
    return readers.length;
  }

  /** Returns the member to read a byte from at the n-th attempt; local members come first. */
  Member reader(long offset, int attempt) {
    long region = offset >> READ_SPREAD_SHIFT;
    int far = readers.length - nearReaders;
    if (attempt < nearReaders) {
      return readers[(int) ((region + attempt) % nearReaders)];
    }
    return readers[nearReaders + (int) ((region + attempt) % far)];
  }
}
