package dev.holdfast.snapshot.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.ActiveEngines;
import dev.holdfast.datapath.AttachedVolume;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.datapath.CallFailures;
import dev.holdfast.datapath.NodeEngineReconciler;
import dev.holdfast.datapath.ReportedFailures;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes, describes and removes the snapshots of the volumes that are open on this node.
 *
 * <p>The cache and the last listing only show whether a pass may be needed. A {@link SnapshotSync}
 * on the volume's own thread decides the steps. Snapshots of an engine that is not open, or was not
 * listed yet, count as unknown, never as gone.
 */
@Component(service = Reconciler.class)
public final class SnapshotReconciler implements NodeEngineReconciler {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotReconciler.class);
  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration RETRY = Duration.ofSeconds(3);

  /**
   * Interval of the listings, because the engine coalesces in the background without a
   * notification.
   */
  private static final Duration PERIOD = Duration.ofSeconds(10);

  private final AttachedVolumes volumes;
  private final Map<String, Work> works = new ConcurrentHashMap<>();
  private final ReportedFailures troubles = new ReportedFailures();
  private final SnapshotScrubs scrubs = new SnapshotScrubs();
  private final SnapshotChanges changes = new SnapshotChanges();
  private final GroupSnapshotBarrier meetings = new GroupSnapshotBarrier();
  private final FreezeSession freezes;

  /** State of one volume since this process opened it. */
  private record Work(
      CompletableFuture<SnapshotSync.Outcome> pass,
      Optional<SnapshotSync.Outcome> last,
      Instant at) {}

  /** Creates the reconciler of a running bundle. */
  @Activate
  public SnapshotReconciler(
      @Reference AttachedVolumes volumes, @Reference FilesystemFreezer freezer) {
    this(volumes, freezer::freeze);
  }

  // Not public, because the runtime of components tries every public constructor with two
  // parameters.
  private SnapshotReconciler(AttachedVolumes volumes, FreezeSession.Freezer freezer) {
    this.volumes = volumes;
    this.freezes = new FreezeSession(freezer);
  }

  /** Creates a reconciler outside of a container. */
  public static SnapshotReconciler of(AttachedVolumes volumes, FreezeSession.Freezer freezer) {
    return new SnapshotReconciler(volumes, freezer);
  }

  @Override
  public String name() {
    return "snapshot";
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    return List.of(
        new Watched<>(
            Snapshot.KIND, snapshot -> ActiveEngines.namesOf(snapshot.spec().volume(), context)),
        new Watched<>(Volume.KIND, volume -> List.of()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Engine> engine =
        context.get(Engine.KIND, name).filter(found -> isFollowed(found, context));
    Optional<AttachedVolume> attached =
        volumes
            .get(name)
            .filter(found -> found.status().phase() == AttachedVolumeStatus.Phase.OPEN);
    if (engine.isEmpty() || attached.isEmpty()) {
      works.remove(name);
      troubles.forget(name);
      return Result.DONE;
    }
    String volume = engine.get().spec().volume();
    tell(volume, context);
    Work work = works.get(name);
    if (work == null) {
      return begin(attached.get(), engine.get(), Optional.empty(), context);
    }
    if (!work.pass().isDone()) {
      return Result.after(POLL);
    }
    Work ended;
    try {
      ended = collect(name, work);
    } catch (StorageException e) {
      return troubled(name, e);
    }
    if (troubles.forget(name)) {
      LOG.info("engine {}: snapshot sync works again", name);
    }
    Duration age = Duration.between(ended.at(), context.clock().instant());
    Duration period = awaitsRemoval(volume, ended, context) ? RETRY : PERIOD;
    boolean due = age.isNegative() || age.compareTo(period) >= 0;
    boolean again = ended.last().filter(SnapshotSync.Outcome::unfinished).isPresent();
    boolean mayRetry = age.compareTo(RETRY) >= 0;
    Set<SnapshotStep> steps = steps(volume, ended, attached.get().status().sizeBytes(), context);
    boolean scrubOnly = steps.equals(Set.of(SnapshotStep.SCRUB));
    boolean something = !steps.isEmpty() && ((!again && !scrubOnly) || mayRetry);
    if (due || something) {
      return begin(attached.get(), engine.get(), ended.last(), context);
    }
    return Result.after(steps.isEmpty() ? period : RETRY);
  }

  /** Returns whether a deleted snapshot keeps its volume attached until the engine is done. */
  private static boolean awaitsRemoval(String name, Work work, ReconcileContext context) {
    Map<String, SnapshotInfo> listed = listed(work);
    return context.list(Snapshot.KIND, LabelSelector.label(Volume.LABEL, name)).stream()
        .filter(snapshot -> snapshot.isBeingDeleted() && !snapshot.hasKeptData())
        .flatMap(snapshot -> Stream.ofNullable(listed.get(snapshot.nameInVolume())))
        .anyMatch(SnapshotInfo::removed);
  }

  private static Map<String, SnapshotInfo> listed(Work work) {
    return work.last().map(SnapshotSync.Outcome::listed).orElse(Map.of());
  }

  /**
   * Returns whether an engine is the active one of its volume, which has the volume's snapshots.
   */
  private static boolean isFollowed(Engine engine, ReconcileContext context) {
    return context
        .get(Volume.KIND, engine.spec().volume())
        .map(volume -> volume.follows(engine))
        .orElse(true);
  }

  /**
   * Retries a failed pass after its own delay. The start of a pass succeeds each time, so that the
   * runtime would treat each failure as the first one and report it again.
   */
  Result troubled(String name, StorageException why) throws StorageException {
    boolean passing =
        switch (why.code()) {
          case UNREACHABLE, TIMEOUT, BUSY, NO_SPACE, IO, EXPIRED, FORBIDDEN -> true;
          case CONFLICT, INTERNAL, INVALID, NOT_FOUND, ALREADY_EXISTS, UNSUPPORTED -> false;
        };
    if (!passing) {
      throw why;
    }
    if (troubles.isNews(name, String.valueOf(why.getMessage()))) {
      LOG.warn(
          "engine {}: snapshot sync failed: {}; retrying every {} s",
          name,
          why.getMessage(),
          RETRY.toSeconds());
    }
    return Result.after(RETRY);
  }

  private void tell(String name, ReconcileContext context) {
    Optional<Volume> volume = context.get(Volume.KIND, name);
    if (volume.isPresent()) {
      for (SnapshotScrubs.Finding finding : scrubs.findings(name)) {
        String reason = finding.damaged() ? "SnapshotDamaged" : "SnapshotRepaired";
        context.events().warning(volume.get(), reason, finding.message());
      }
      for (String why : freezes.findings(name)) {
        context
            .events()
            .warning(
                volume.get(), "FilesystemNotFrozen", "a snapshot is crash-consistent only: " + why);
      }
    }
  }

  private Result begin(
      AttachedVolume attached,
      Engine engine,
      Optional<SnapshotSync.Outcome> last,
      ReconcileContext context) {
    String volume = engine.spec().volume();
    CompletableFuture<SnapshotSync.Outcome> pass =
        attached.operate(
            (opened, status) ->
                pass(attached, volume, opened, !status.frontend().isEmpty(), context));
    works.put(engine.name(), new Work(pass, last, context.clock().instant()));
    return Result.after(POLL);
  }

  private SnapshotSync.Outcome pass(
      AttachedVolume attached,
      String name,
      OpenVolume opened,
      boolean shown,
      ReconcileContext context)
      throws StorageException {
    ResourceStore store = volumes.store();
    Clock clock = context.clock();
    Optional<Volume> volume = store.get(Volume.KIND, name);
    if (volume.isEmpty()) {
      return new SnapshotSync.Outcome(Map.of(), false);
    }
    if (!(opened instanceof SnapshotVolume snapshots)) {
      refuseAll(volume.get(), store);
      return new SnapshotSync.Outcome(Map.of(), false);
    }
    SnapshotOperations actions =
        new SnapshotOperations(
            store,
            clock,
            volumes.executor(),
            shown,
            scrubs,
            ScrubSettings.of(store),
            changes,
            new SnapshotOperations.Shows(volumes.portal(), attached.snapshotExports()),
            new SnapshotOperations.Together(meetings, attached::hold, freezes));
    return new SnapshotSync(store, clock, volume.get(), snapshots, actions).run();
  }

  /** Refuses requests that the engine can never fulfil. */
  private static void refuseAll(Volume volume, ResourceStore store) throws StorageException {
    for (Snapshot snapshot : store.list(Snapshot.KIND, LabelSelector.ALL).items()) {
      boolean waits =
          snapshot.spec().volume().equals(volume.name())
              && snapshot.status().error().isEmpty()
              && !snapshot.isBeingDeleted();
      if (waits) {
        String why = "engine " + volume.spec().dataEngine() + " does not support snapshots";
        store.updateStatus(snapshot.withStatus(SnapshotStatuses.failed(snapshot.status(), why)));
      }
    }
  }

  /**
   * Collects the result of a pass. Throws a failure of the whole pass, which the runtime retries.
   */
  private Work collect(String name, Work work) throws StorageException {
    try {
      Work ended = new Work(work.pass(), Optional.of(work.pass().join()), work.at());
      works.put(name, ended);
      return ended;
    } catch (CompletionException e) {
      works.remove(name);
      throw CallFailures.of("engine " + name, e);
    }
  }

  /** Returns the steps that the cache suggests. */
  private static Set<SnapshotStep> steps(
      String volume, Work work, long sizeBytes, ReconcileContext context) {
    Map<String, SnapshotInfo> listed = listed(work);
    Set<SnapshotStep> steps = EnumSet.noneOf(SnapshotStep.class);
    for (Snapshot snapshot : context.list(Snapshot.KIND, LabelSelector.ALL)) {
      if (snapshot.spec().volume().equals(volume)) {
        Optional<SnapshotInfo> info = Optional.ofNullable(listed.get(snapshot.nameInVolume()));
        steps.add(SnapshotStep.next(snapshot, info, sizeBytes));
      }
    }
    steps.remove(SnapshotStep.NOTHING);
    return steps;
  }
}
