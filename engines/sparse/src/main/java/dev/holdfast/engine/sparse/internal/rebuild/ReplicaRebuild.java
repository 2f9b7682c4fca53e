package dev.holdfast.engine.sparse.internal.rebuild;

import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.members.BlockingMemberIo;
import dev.holdfast.engine.sparse.internal.members.MemberSet;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.Regions;
import dev.holdfast.engine.sparse.internal.replica.Uninterruptibly;
import dev.holdfast.engine.sparse.internal.volume.LayerAccess;
import dev.holdfast.engine.sparse.internal.volume.VolumeContext;
import dev.holdfast.engine.sparse.rpc.LayerEntry;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rebuilds one replica:
 *
 * <pre>
 *   begin: layers are kept -> the target's head becomes a layer
 *          -> join snapshot on the members and, from there, all changes to the target too
 *   copy:  layer after layer, parents first
 *   end:   gate, drain -> layers compared -> epoch with the target decided -> layers coalesced
 * </pre>
 *
 * Until the rebuild completes, the target is not a member. Layers that it already holds shorten the
 * next attempt.
 */
final class ReplicaRebuild implements Rebuild {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaRebuild.class);
  private static final String JOIN = "rebuild-";

  private final VolumeContext parts;
  private final Member target;
  private final LayerAccess layers;
  private final SharedRateLimit pace;
  private final LayerCopier copier;
  private volatile LayerSources sources;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile StorageException failure;
  private RebuildPlan plan;

  ReplicaRebuild(VolumeContext parts, Member target, RebuildOptions options) {
    this.parts = parts;
    this.target = target;
    this.layers = new LayerAccess(target);
    this.pace = new SharedRateLimit(options.bytesPerSecond(), this::over);
    this.copier = new LayerCopier(layers, () -> sources.all(), parts.fan(), pace, this::over);
  }

  @Override
  public String replica() {
    return target.name();
  }

  @Override
  public long totalBytes() {
    return copier.total();
  }

  @Override
  public long doneBytes() {
    return copier.done();
  }

  @Override
  public void change(RebuildOptions options) {
    pace.change(options.bytesPerSecond());
  }

  @Override
  public void cancel() {
    fail(new StorageException(ErrorCode.IO, "the rebuild of " + target.name() + " was cancelled"));
  }

  @Override
  public CompletionStage<Void> done() {
    return done.minimalCompletionStage();
  }

  private boolean over() {
    return failure != null;
  }

  private void fail(StorageException cause) {
    synchronized (this) {
      if (failure == null) {
        failure = cause;
      }
    }
    pace.wake();
  }

  private void checkGoing() throws StorageException {
    StorageException cause = failure;
    if (cause != null) {
      throw cause;
    }
  }

  /** Waits until all work of the rebuild has ended. */
  void awaitEnd() {
    Uninterruptibly.await(ended);
  }

  /** Makes the replica the target. */
  void begin() throws StorageException {
    boolean begun = false;
    parts.keeper().whenTargetFailed(this::fail);
    parts.serve(target, this::fail);
    try {
      if (!target.witness()) {
        parts.structure().freeze();
        join();
      }
      begun = true;
    } finally {
      if (!begun) {
        out();
        parts.structure().thaw();
        ended.countDown();
      }
    }
    parts.mode(target, MemberMode.WO, "is being rebuilt");
    parts.executor().execute(this::run);
  }

  private void join() throws StorageException {
    sources = LayerSources.of(parts.keeper()::working);
    String join = JOIN + UUID.randomUUID();
    List<LayerEntry> mine = layers.list();
    String parent = layers.headParent();
    List<String> names = new ArrayList<>();
    String former =
        RebuildPlan.heirOf(parent, sources.any().list(), mine)
            .map(LonghornLayout::snapshotOf)
            .orElse(join);
    names.add(former);
    if (!former.equals(join)) {
      names.add(join);
    }
    layers.replaceMissed(Map.of());
    layers.join(names, parts.structure().sizeBytes());
    ChainOperation operation =
        new ChainOperation(
            UUID.randomUUID().toString(),
            ChainOperation.Kind.SNAPSHOT,
            join,
            false,
            Instant.now().toString(),
            Map.of(),
            0);
    parts.structure().run(operation, () -> enter(LonghornLayout.imageOf(former), parent));
    checkGoing();
  }

  // Runs while no request is in flight: all earlier changes are in the members' layers, all later
  // changes are written to the target's head.
  private void enter(String former, String formerParent) {
    try {
      LayerAccess source = sources.any();
      plan =
          RebuildPlan.of(
              source.list(), layers.list(), former, formerParent, changed(source.missed()));
      target.replaceMarks(parts.intents().all());
      MemberSet team = parts.members().team();
      parts.keeper().replace(new MemberSet(team.current(), List.of(target)));
    } catch (StorageException e) {
      fail(e);
    }
  }

  // Regions that the members recorded while it was absent, and regions that it marked itself, which
  // the members may lack.
  private BitSet changed(Map<String, BitSet> missed) {
    BitSet regions = new BitSet();
    if (!missed.containsKey(target.id()) || target.incomplete() || target.history().tampered()) {
      regions.set(0, Regions.count(parts.structure().sizeBytes()));
    } else {
      regions.or(missed.get(target.id()));
      regions.or(target.history().marked());
    }
    return regions;
  }

  private void run() {
    StorageException cause = null;
    try {
      if (!target.witness()) {
        copy();
      }
      finish();
    } catch (StorageException e) {
      cause = failure == null ? e : failure;
    } catch (RuntimeException | Error e) {
      cause = new StorageException(ErrorCode.INTERNAL, "a defect: " + e, e);
      LOG.error("volume {}: the rebuild of {} failed", parts.name(), target.name(), e);
    }
    try {
      if (cause != null) {
        leave(cause);
      }
      if (!target.witness()) {
        parts.structure().thaw();
      }
    } finally {
      ended.countDown();
      if (cause == null) {
        done.complete(null);
      } else {
        done.completeExceptionally(cause);
      }
    }
  }

  private void copy() throws StorageException {
    for (String longer : plan.longer()) {
      layers.discard(longer);
    }
    for (LayerEntry layer : plan.empty()) {
      copier.foresee(layer);
    }
    for (LayerEntry layer : plan.layers()) {
      checkGoing();
      if (plan.same(layer) && !target.history().tampered()) {
        layers.complete(layer);
      } else {
        copier.copy(
            layer,
            plan.regions(layer),
            plan.comparable(layer),
            plan.noted(layer),
            plan.empty().contains(layer));
      }
    }
    for (String stale : plan.stale()) {
      layers.discard(stale);
    }
  }

  private void finish() throws StorageException {
    parts
        .structure()
        .alone(
            () -> {
              boolean tried = false;
              while (!tried) {
                parts.keeper().awaitSettled();
                checkGoing();
                parts.checkOpen();
                tried = parts.keeper().still(this::admit);
              }
            });
    parts.mode(target, MemberMode.RW, "is current");
    if (!target.witness()) {
      forget();
    }
  }

  private void admit() throws StorageException {
    checkGoing();
    if (!target.witness()) {
      complete();
    }
    // From this point a failure drops it like any member.
    parts.watch(target);
    if (!parts.keeper().admit(target)) {
      throw new StorageException(
          ErrorCode.IO, "replica " + target.name() + " failed at the end of its rebuild");
    }
  }

  private void complete() throws StorageException {
    LayerAccess source = sources.any();
    List<LayerEntry> wanted = source.list();
    Map<String, LayerEntry> found = RebuildPlan.byImage(layers.list());
    for (LayerEntry layer : wanted) {
      LayerEntry mine = found.get(layer.getImage());
      if (mine != null && !mine.getMeta().equals(layer.getMeta())) {
        layers.complete(layer);
      }
    }
    BlockingMemberIo.sync(target);
    layers.finish();
    if (!RebuildPlan.alike(wanted, layers.list())
        || !source.headParent().equals(layers.headParent())) {
      throw new StorageException(
          ErrorCode.INTERNAL,
          "replica " + target.name() + " has other layers than the members after its rebuild");
    }
    Map<String, BitSet> missed = new TreeMap<>(source.missed());
    missed.remove(target.id());
    layers.replaceMissed(missed);
  }

  // The record of missed regions and the join snapshot are no longer needed. If their removal
  // fails, they cost space until the next rebuild removes them.
  private void forget() {
    try {
      for (Member member : parts.members().team().data()) {
        new LayerAccess(member).forgetMissed(target.id());
      }
      for (SnapshotInfo snapshot : parts.structure().snapshots()) {
        if (snapshot.name().startsWith(JOIN) && !snapshot.userCreated() && !snapshot.removed()) {
          parts.structure().run(remove(snapshot.name()), () -> {});
        }
      }
    } catch (StorageException e) {
      LOG.warn("volume {}: could not remove traces of a rebuild: {}", parts.name(), e.getMessage());
    }
  }

  private static ChainOperation remove(String snapshot) {
    return new ChainOperation(
        UUID.randomUUID().toString(), ChainOperation.Kind.REMOVE, snapshot, false, "", Map.of(), 0);
  }

  // The copied layers stay, for the next attempt.
  private void leave(StorageException cause) {
    fail(cause);
    out();
    if (!parts.members().current().contains(target)) {
      target.close();
      parts.mode(target, MemberMode.ERR, cause.getMessage());
    }
  }

  // No further request is sent to the target.
  private void out() {
    try {
      boolean out = false;
      while (!out && !parts.closed()) {
        parts.keeper().awaitSettled();
        out =
            parts
                .keeper()
                .still(
                    () -> {
                      MemberSet team = parts.members().team();
                      parts.keeper().replace(new MemberSet(team.current(), List.of()));
                    });
      }
    } catch (StorageException e) {
      LOG.debug("volume {}: {}", parts.name(), e.getMessage());
    }
  }
}
