package dev.holdfast.engine.sparse.internal.volume;

import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.members.Broadcast;
import dev.holdfast.engine.sparse.internal.members.MemberFailure;
import dev.holdfast.engine.sparse.internal.members.ReplicaModes;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.Regions;
import dev.holdfast.engine.sparse.internal.replica.ReplicaIdentity;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One opening of a volume, in the steps of docs/REPLICATION.md, "Start". */
public final class VolumeStart {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeStart.class);
  private static final int CLAIM_ATTEMPTS = 16;
  private static final long SESSION = 1;

  private final OpenRequest request;
  private final ReplicaAccess access;
  private final Broadcast fan;
  private final Map<ReplicaLocation, StorageException> missing = new LinkedHashMap<>();
  private final List<Member> fenced = new ArrayList<>();
  private final Set<Member> failed = new HashSet<>();

  public VolumeStart(OpenRequest request, ReplicaAccess access, Executor executor) {
    this.request = request;
    this.access = access;
    this.fan = new Broadcast(executor);
  }

  /**
   * Result of a successful start.
   *
   * @param fenced all replicas that admitted the engine, to be closed with the volume
   * @param current the current replicas, which are identical and recorded as current
   * @param record the register's record
   */
  public record Outcome(List<Member> fenced, List<Member> current, Membership record) {}

  public Outcome run() throws StorageException {
    boolean done = false;
    try {
      Membership before = claim();
      Membership claimed = RegisterRecords.claimed(before, request.nodeId());
      Optional<ChainOperation> pending = ChainOperation.parse(before.pendingOperation());
      long size = before.sizeBytes() == 0 ? request.sizeBytes() : before.sizeBytes();
      fenceAll(new Token(claimed.generation(), SESSION));
      checkSizes(size, pending);
      StartSettling settling = new StartSettling(request.volume(), pending, size, missing);
      StartRule.Start start;
      // Include the marks of omitted replicas: others may have copied data of such regions from
      // them.
      BitSet marks = new BitSet();
      StartSettling.Settled settled;
      do {
        start = decide(before);
        marks.or(marks(start.data()));
        settled = settling.settle(start, marks);
        if (settled.failed().isPresent()) {
          leaveOut(settled.failed().get(), start);
        }
      } while (settled.failed().isPresent());
      List<Member> current = settled.current();
      // Absent replicas may hold writes that all present replicas lack or discarded, or may have
      // performed an operation that all present ones refuse.
      boolean reverts = pending.filter(ChainOperation::reverts).isPresent();
      boolean missAll = start.salvaged() || reverts || settled.givenUp();
      BitSet missed = missAll ? Regions.all(settled.size()) : marks;
      Membership decided = record(claimed, settled.size(), start, current, missed);
      for (Member replica : current) {
        if (!replica.witness()) {
          replica.replaceMarks(new BitSet());
        }
      }
      forgetGone(current);
      done = true;
      return new Outcome(List.copyOf(fenced), current, decided);
    } finally {
      if (!done) {
        fenced.forEach(Member::close);
      }
    }
  }

  // 1. Later engines and replicas identify this engine by its generation.
  private Membership claim() throws StorageException {
    for (int attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
      Membership before = request.register().read();
      if (request
          .register()
          .compareAndSet(before, RegisterRecords.claimed(before, request.nodeId()))) {
        return before;
      }
    }
    throw new StorageException(
        ErrorCode.CONFLICT,
        "volume " + request.volume() + ": other engines open it at the same time");
  }

  // 2. After this, no earlier engine can change these replicas.
  private void fenceAll(Token token) throws StorageException {
    List<ReplicaLocation> locations = request.replicas();
    Member[] let = new Member[locations.size()];
    StorageException[] failures =
        fan.all(locations.size(), at -> let[at] = access.fence(locations.get(at), token));
    for (int i = 0; i < let.length; i++) {
      if (let[i] != null) {
        fenced.add(let[i]);
      } else {
        missing.put(locations.get(i), failures[i]);
      }
    }
    for (StorageException failure : missing.values()) {
      if (failure.code() == ErrorCode.CONFLICT) {
        throw failure;
      }
    }
  }

  // A crash during an expansion leaves replicas of both sizes.
  private void checkSizes(long size, Optional<ChainOperation> pending) {
    long after = pending.map(operation -> operation.sizeAfter(size)).orElse(size);
    for (Member member : List.copyOf(fenced)) {
      if (!member.witness() && member.size() != size && member.size() != after) {
        fenced.remove(member);
        member.close();
        missing.put(
            member.location(),
            new StorageException(
                ErrorCode.INVALID,
                "replica "
                    + member.name()
                    + " has a size of "
                    + member.size()
                    + " bytes, the volume one of "
                    + size));
      }
    }
  }

  private StartRule.Start decide(Membership before) throws StorageException {
    return new StartRule(request.volume(), before, fenced, missing, failed, request.options())
        .decide();
  }

  // Treats the replica like a member that could not be fenced: the rule decides again without it
  // which replicas are current.
  private void leaveOut(MemberFailure failure, StartRule.Start start) throws StorageException {
    if (!mayBeLeftOut(failure, start)) {
      throw failure.cause();
    }
    failed.add(failure.member());
    missing.put(failure.member().location(), failure.cause());
  }

  private static boolean mayBeLeftOut(MemberFailure failure, StartRule.Start start) {
    return start.data().size() > 1
        && failure.cause().code() != ErrorCode.CONFLICT
        && failure.cause().code() != ErrorCode.FORBIDDEN;
  }

  private static BitSet marks(List<Member> current) {
    BitSet marks = new BitSet();
    current.forEach(replica -> marks.or(replica.history().marked()));
    return marks;
  }

  // 6. On the replicas first: if the store had an epoch that no member has recorded, the epoch
  // would be lost.
  private Membership record(
      Membership claimed, long size, StartRule.Start start, List<Member> current, BitSet missed)
      throws StorageException {
    Epoch epoch = Epoch.of(claimed.generation(), 1, current);
    SortedSet<String> absent = new TreeSet<>(start.previous().members());
    if (start.salvaged()) {
      // Their records of missed regions refer to a history that the salvage has discarded.
      current.forEach(replica -> absent.addAll(replica.history().missed().keySet()));
    }
    absent.removeAll(epoch.members());
    absent.removeIf(ReplicaIdentity::ofWitness);
    for (Member replica : current) {
      replica.recordEpoch(epoch, absent, missed);
    }
    Membership decided =
        RegisterRecords.withPending(
            RegisterRecords.withSize(epoch.in(claimed, start.reason()), size), "");
    if (!request.register().compareAndSet(claimed, decided)) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          "volume " + request.volume() + ": another engine took over while it was opened");
    }
    return decided;
  }

  // The regions that a removed replica misses are not needed any more; all other replicas are
  // present.
  private void forgetGone(List<Member> current) {
    if (!missing.isEmpty()) {
      return;
    }
    List<String> known = fenced.stream().map(Member::id).toList();
    for (Member member : current) {
      for (String id : member.history().missed().keySet()) {
        if (!known.contains(id)) {
          try {
            new LayerAccess(member).forgetMissed(id);
          } catch (StorageException e) {
            LOG.warn("volume {}: {}", request.volume(), e.getMessage());
          }
        }
      }
    }
  }

  /** Returns the mode of every requested replica, and reports the omitted ones to the listener. */
  public ReplicaModes modes(List<Member> current) {
    ReplicaModes modes = new ReplicaModes();
    for (Member replica : fenced) {
      boolean isCurrent = current.contains(replica);
      modes.set(replica.name(), isCurrent ? MemberMode.RW : MemberMode.ERR);
      if (!isCurrent && !missing.containsKey(replica.location())) {
        leftOut(replica.name(), "is not current");
      }
    }
    missing.forEach(
        (location, cause) -> {
          modes.set(location.replica(), MemberMode.ERR);
          leftOut(location.replica(), cause.getMessage());
        });
    return modes;
  }

  private void leftOut(String replica, String reason) {
    LOG.warn("volume {}: replica {} left out: {}", request.volume(), replica, reason);
    request.listener().replicaChanged(replica, MemberMode.ERR, reason);
  }
}
