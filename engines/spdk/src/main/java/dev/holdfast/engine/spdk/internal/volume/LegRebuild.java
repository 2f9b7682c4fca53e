package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.spdk.internal.calls.ShallowCopy;
import dev.holdfast.engine.spdk.internal.replica.LegPlace;
import dev.holdfast.engine.spdk.internal.replica.LegShown;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.engine.spdk.internal.replica.SnapshotRecord;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A rebuild. The new leg gets all writes from its first moment, and reads what it lacks from a
 * snapshot of the source, which the join takes. Then SPDK copies the snapshots, the oldest first.
 *
 * <pre>
 *   join (held)    snapshot J of all legs ─ head of the target on J of the source ─ mirror with it
 *   copy           each snapshot up to J: layer on its parent ─ shallow copy ─ snapshot ─ record
 *   complete       head of the target on its own J ─ record ─ register ─ the source lets J go
 * </pre>
 *
 * <p>Copied snapshots stay on the target, so a rebuild that was interrupted continues with the next
 * one. Thread-safe.
 */
final class LegRebuild implements Rebuild {
  private static final Logger LOG = LoggerFactory.getLogger(LegRebuild.class);
  private static final long POLL_MS = 20;
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MIB = 1 << 20;

  private final OpenParts parts;
  private final BooleanSupplier ended;
  private final RebuildTarget target;
  private final ReplicaLeg source;
  private final RebuildSource from;
  private final String part = LegPlace.fresh();
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final AtomicLong total = new AtomicLong();
  private final AtomicLong copied = new AtomicLong();
  private final Thread thread;
  private volatile RebuildOptions options;
  private volatile Optional<String> limited = Optional.empty();
  private volatile boolean cancelled;
  private volatile boolean admitted;
  private long looked = System.nanoTime();

  LegRebuild(
      OpenParts parts,
      BooleanSupplier ended,
      RebuildTarget target,
      ReplicaLeg source,
      RebuildOptions options) {
    this.parts = parts;
    this.ended = ended;
    this.target = target;
    this.source = source;
    this.from = new RebuildSource(parts, source, target.leg());
    this.options = options;
    thread = new Thread(this::run, "spdk rebuild " + target.leg().name());
    thread.setDaemon(true);
  }

  /** Makes the target a leg, and starts to copy. The monitor of the volume is held. */
  void begin() throws StorageException {
    target.keepSame(source.record());
    parts.snapshots().pin(part);
    try {
      parts.quiesce().run(this::join);
    } catch (StorageException e) {
      try {
        leave();
      } catch (StorageException further) {
        e.addSuppressed(further);
      }
      throw e;
    }
    for (SnapshotRecord one : source.record().snapshots()) {
      if (!target.has(one)) {
        total.addAndGet(from.bytes(one));
      }
    }
    tell(MemberMode.WO, "is rebuilt");
    thread.start();
  }

  private void join() throws StorageException {
    SpdkLegs legs = parts.legs();
    parts.snapshots().take(part);
    legs.remake(
        () -> {
          for (ReplicaLeg leg : legs.all()) {
            leg.write(leg.record().with(joint(leg)));
          }
          target.makeHead(from.show(part));
          legs.join(Optional.of(target.leg()));
        });
    parts.device().replace(legs.loopback().connect(legs.nqn()), legs.record().sizeBytes());
  }

  /** The snapshot of the join counts as deleted, so that an interrupted rebuild leaves nothing. */
  private SnapshotRecord joint(ReplicaLeg leg) {
    return new SnapshotRecord(
        leg.place().named(part),
        "rebuild-" + part,
        leg.record().headParent(),
        true,
        false,
        Instant.EPOCH,
        Map.of(),
        leg.record().sizeBytes());
  }

  private void run() {
    try {
      for (SnapshotRecord one : source.record().snapshots()) {
        if (!target.has(one)) {
          copy(one);
        }
      }
      synchronized (parts.monitor()) {
        requireWanted();
        parts.quiesce().run(() -> target.complete(source.record()));
        parts.legs().admit();
        admitted = true;
      }
      decide();
      releaseSource();
      done.complete(null);
      tell(MemberMode.RW, "was rebuilt");
    } catch (StorageException | RuntimeException e) {
      fail(e);
    } finally {
      boolean unused = done.completeExceptionally(new IllegalStateException("ended by an error"));
    }
  }

  /** The target is current already; the next opening removes what stays. */
  private void releaseSource() {
    synchronized (parts.monitor()) {
      try {
        parts.snapshots().pin(""); // the target stands on its own snapshots
        from.hide(part);
        parts.snapshots().purge();
      } catch (StorageException e) {
        LOG.debug("replica {}: could not release the source of its rebuild", replica(), e);
      }
    }
  }

  /** A layer of a clone that stands on no snapshot of its own begins with what the clone shares. */
  private void copy(SnapshotRecord one) throws StorageException {
    String layer = target.makeLayer(one);
    String device = from.reach(layer);
    limited = Optional.of(device);
    limit();
    for (String shared : from.layers(one)) {
      copy(shared, device);
    }
    limited = Optional.empty();
    from.leave(layer);
    target.keepLayer(layer, one);
  }

  private void copy(String snapshot, String device) throws StorageException {
    long before = copied.get();
    ShallowCopy copy = source.lvols().shallowCopy(snapshot, device);
    boolean over = false;
    while (!over) {
      over = copy.isOver();
      copied.set(before + copy.copiedBytes());
      if (!over) {
        requireWanted();
        lookAtTarget();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MS));
      }
    }
    requireWanted();
  }

  private void requireWanted() throws StorageException {
    if (cancelled || ended.getAsBoolean()) {
      throw new StorageException(
          ErrorCode.BUSY, "replica " + replica() + ": its rebuild was cancelled");
    }
  }

  /** Requests wait for a target that is lost, so it leaves at the first look that fails. */
  private void lookAtTarget() throws StorageException {
    long now = System.nanoTime();
    if (target.leg().isRemote() && now - looked > LOOK_NANOS) {
      LegShown unused = parts.legs().remote().show(target.leg(), target.leg().record().head());
      looked = now;
    }
  }

  /** Whether the register took a decision is not always known, so it is asked until it answers. */
  private void decide() throws StorageException {
    while (true) {
      try {
        synchronized (parts.monitor()) {
          SortedSet<String> members = new TreeSet<>();
          parts.legs().all().forEach(leg -> members.add(leg.identity()));
          parts.members().decide(members, "replica " + replica() + ": it was rebuilt");
        }
        return;
      } catch (StorageException e) {
        if (e.code() != ErrorCode.UNREACHABLE && e.code() != ErrorCode.TIMEOUT) {
          throw e;
        }
        requireWanted();
        LockSupport.parkNanos(LOOK_NANOS / 10);
      }
    }
  }

  private void fail(Exception cause) {
    try {
      if (!admitted && target.leg().isRemote() && !ended.getAsBoolean()) {
        parts.legs().remote().detachAll(target.leg()); // operations may wait for its requests
      }
      synchronized (parts.monitor()) {
        if (!admitted && !ended.getAsBoolean()) {
          leave();
        }
      }
    } catch (StorageException e) {
      cause.addSuppressed(e);
    }
    done.completeExceptionally(cause);
    tell(MemberMode.ERR, String.valueOf(cause.getMessage()));
  }

  /** Continues without the target. Its complete snapshots stay for the next rebuild. */
  private void leave() throws StorageException {
    SpdkLegs legs = parts.legs();
    if (legs.joining().isPresent()) {
      if (target.leg().isRemote()) {
        legs.remote().detachAll(target.leg());
      }
      legs.join(Optional.empty());
      parts
          .quiesce()
          .run(
              () -> {
                legs.remake(() -> {});
                parts
                    .device()
                    .replace(legs.loopback().connect(legs.nqn()), legs.record().sizeBytes());
              });
    }
    target.dropHead();
    from.hide(part);
    target.leg().release();
    parts.snapshots().pin("");
    parts.snapshots().purge();
  }

  private void tell(MemberMode mode, String reason) {
    parts.request().listener().replicaChanged(replica(), mode, reason);
  }

  /** Cancels it and waits until it has ended. The monitor of the volume must not be held. */
  void end() {
    cancel();
    boolean unused = done.handle((nothing, failure) -> failure == null).join();
  }

  boolean isOver() {
    return done.isDone();
  }

  @Override
  public String replica() {
    return target.leg().name();
  }

  @Override
  public long totalBytes() {
    return total.get();
  }

  @Override
  public long doneBytes() {
    return copied.get();
  }

  @Override
  public void change(RebuildOptions next) {
    options = next;
    try {
      limit();
    } catch (StorageException e) {
      limited = Optional.empty(); // the layer is complete; the next one gets the limit
    }
  }

  /** SPDK limits the writes to the layer, in steps of 1 MiB. */
  private void limit() throws StorageException {
    long perSecond = options.bytesPerSecond();
    Optional<String> device = limited;
    if (device.isPresent()) {
      source.lvols().limitWrites(device.get(), perSecond == 0 ? 0 : Math.max(1, perSecond / MIB));
    }
  }

  @Override
  public void cancel() {
    cancelled = true;
    LockSupport.unpark(thread);
  }

  @Override
  public CompletionStage<Void> done() {
    return done.minimalCompletionStage();
  }
}
