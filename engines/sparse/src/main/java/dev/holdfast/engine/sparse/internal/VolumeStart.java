package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaMode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One opening of a volume, step by step as docs/REPLICATION.md numbers them under "Start". */
final class VolumeStart {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeStart.class);
  private static final int CLAIM_ATTEMPTS = 16;
  private static final long SESSION = 1;

  private final OpenRequest request;
  private final ReplicaAccess access;
  private final Map<String, StorageException> missing = new LinkedHashMap<>();
  private final List<Member> fenced = new ArrayList<>();

  VolumeStart(OpenRequest request, ReplicaAccess access) {
    this.request = request;
    this.access = access;
  }

  /**
   * What a successful start yields.
   *
   * @param fenced all replicas that were let in, to be closed with the volume
   * @param current those that are current, identical and recorded as such
   * @param record the register's
   */
  record Outcome(List<Member> fenced, List<Member> current, Membership record) {}

  Outcome run() throws StorageException {
    boolean done = false;
    try {
      Membership before = claim();
      Membership claimed = claimed(before);
      fenceAll(new Token(claimed.generation(), SESSION));
      StartRule.Start start = new StartRule(request.volume(), before, fenced, missing).decide();
      BitSet marks = marks(start.current());
      equalize(start.current(), marks);
      Membership decided = record(claimed, start, marks);
      for (Member replica : start.current()) {
        replica.replaceMarks(new BitSet());
      }
      done = true;
      return new Outcome(List.copyOf(fenced), start.current(), decided);
    } finally {
      if (!done) {
        closeAll();
      }
    }
  }

  // 1. The generation is what later engines and replicas know this one by.
  private Membership claim() throws StorageException {
    for (int attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
      Membership before = request.register().read();
      if (request.register().compareAndSet(before, claimed(before))) {
        return before;
      }
    }
    throw new StorageException(
        ErrorCode.CONFLICT,
        "volume " + request.volume() + ": other engines open it at the same time");
  }

  private Membership claimed(Membership before) {
    return new Membership(
        before.generation() + 1,
        request.nodeId(),
        before.epochGeneration(),
        before.epochNumber(),
        before.members());
  }

  // 2. From here on no earlier engine can change these replicas.
  private void fenceAll(Token token) throws StorageException {
    for (ReplicaLocation location : request.replicas()) {
      try {
        fenced.add(sized(access.fence(location, token)));
      } catch (StorageException e) {
        if (e.code() == ErrorCode.CONFLICT) {
          throw e;
        }
        missing.put(location.replica(), e);
      }
    }
  }

  private Member sized(Member member) throws StorageException {
    if (member.size() != request.sizeBytes()) {
      member.close();
      throw new StorageException(
          ErrorCode.INVALID,
          "replica "
              + member.name()
              + " has a size of "
              + member.size()
              + " bytes, the volume one of "
              + request.sizeBytes());
    }
    return member;
  }

  private static BitSet marks(List<Member> current) {
    BitSet marks = new BitSet();
    current.forEach(replica -> marks.or(replica.history().marked()));
    return marks;
  }

  // 5. What was in flight when the last engine ended may be on some replicas only.
  private void equalize(List<Member> current, BitSet marks) throws StorageException {
    if (current.size() > 1 && !marks.isEmpty()) {
      LOG.info(
          "volume {}: makes {} regions of {} replicas identical",
          request.volume(),
          marks.cardinality(),
          current.size());
      Equalizer equalizer = new Equalizer();
      for (int region = marks.nextSetBit(0); region >= 0; region = marks.nextSetBit(region + 1)) {
        long offset = (long) region << Regions.SHIFT;
        long length = Math.min(1L << Regions.SHIFT, request.sizeBytes() - offset);
        equalizer.copy(current.get(0), current.subList(1, current.size()), offset, length);
      }
    }
    if (!marks.isEmpty()) {
      for (Member replica : current) {
        Awaited.sync(replica);
      }
    }
  }

  // 6. On the replicas first: an epoch in the store that no member knows would be found by nobody.
  private Membership record(Membership claimed, StartRule.Start start, BitSet marks)
      throws StorageException {
    SortedSet<String> ids = new TreeSet<>();
    start.current().forEach(replica -> ids.add(replica.id()));
    Epoch epoch = new Epoch(claimed.generation(), 1, ids);
    SortedSet<String> absent = new TreeSet<>(start.previous().members());
    absent.removeAll(ids);
    for (Member replica : start.current()) {
      replica.recordEpoch(epoch, absent, marks);
    }
    Membership decided = epoch.in(claimed);
    if (!request.register().compareAndSet(claimed, decided)) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          "volume " + request.volume() + ": another engine took over while it was opened");
    }
    return decided;
  }

  /** Returns the mode of every replica asked for, and tells the listener of those left out. */
  ReplicaModes modes(List<Member> current) {
    ReplicaModes modes = new ReplicaModes();
    for (Member replica : fenced) {
      boolean isCurrent = current.contains(replica);
      modes.set(replica.name(), isCurrent ? ReplicaMode.RW : ReplicaMode.ERR);
      if (!isCurrent) {
        leftOut(replica.name(), "is not current");
      }
    }
    missing.forEach(
        (name, cause) -> {
          modes.set(name, ReplicaMode.ERR);
          leftOut(name, cause.getMessage());
        });
    return modes;
  }

  private void leftOut(String replica, String reason) {
    LOG.warn("volume {}: replica {} left out: {}", request.volume(), replica, reason);
    request.listener().replicaChanged(replica, ReplicaMode.ERR, reason);
  }

  private void closeAll() {
    fenced.forEach(Member::close);
  }
}
