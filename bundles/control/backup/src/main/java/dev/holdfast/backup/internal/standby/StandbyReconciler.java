package dev.holdfast.backup.internal.standby;

import dev.holdfast.backup.internal.BackgroundWork;
import dev.holdfast.backup.internal.InstalledTargets;
import dev.holdfast.backup.internal.TargetAccess;
import dev.holdfast.backup.internal.delta.DeltaBase;
import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.datapath.RegionCopyPlan;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.restore.StandbyState;
import dev.holdfast.resource.restore.StandbyStatus;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.RestoreStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Manages standby volumes: applies each newer backup as a further restore of the changed regions,
 * keeps the content by a snapshot afterwards, and activates the volume. A volume with incomplete
 * content is attached for its restore only, so no client sees a mixture of two backups.
 *
 * <pre>
 * whole ──newer backup, detached──► status.restore initiated ──copied──► whole ──► snapshot ──► whole
 *                                         └── activation: revert to the snapshot before ──► whole
 * </pre>
 */
@Component(service = Reconciler.class)
public final class StandbyReconciler implements Reconciler<Volume> {
  private static final Duration SOON = Duration.ofMillis(500);
  private static final Duration WAIT = Duration.ofSeconds(5);

  private final InstalledTargets targets;
  private final BackgroundWork<Optional<NewerBackup>> looks;
  private final StandbyActivations activations;
  private final Function<Volume, StandbyStep> steps;
  private final DeltaBase bases;
  private final Map<String, Instant> looked = new ConcurrentHashMap<>();

  /** Creates the reconciler of a running bundle. */
  @Activate
  public StandbyReconciler(
      @Reference InstalledTargets targets, @Reference AttachedVolumes volumes) {
    this(targets, volumes.executor(), StandbyStep::next, new DeltaBase());
  }

  /** Creates a reconciler with the given threads, step function and rule for bases. */
  public StandbyReconciler(
      InstalledTargets targets,
      Executor threads,
      Function<Volume, StandbyStep> steps,
      DeltaBase bases) {
    this.targets = targets;
    this.looks = new BackgroundWork<>(threads);
    this.activations = new StandbyActivations(new BackgroundWork<>(threads));
    this.steps = steps;
    this.bases = bases;
  }

  @Override
  public String name() {
    return "volume-standby";
  }

  @Override
  public ResourceKind<Volume> kind() {
    return Volume.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    return List.of(new Watched<>(Snapshot.KIND, StandbyReconciler::kept));
  }

  private static List<String> kept(Snapshot snapshot) {
    return snapshot.metadata().labels().containsKey(Snapshot.STANDBY_LABEL)
        ? List.of(snapshot.spec().volume())
        : List.of();
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    if (context.get(Volume.KIND, name).filter(Volume::isStandby).isEmpty()) {
      StandbySnapshots.release(name, context);
      return Result.DONE;
    }
    Optional<Volume> stored =
        context
            .store()
            .get(Volume.KIND, name)
            .filter(volume -> volume.isStandby() && !volume.isBeingDeleted());
    if (stored.isEmpty()) {
      StandbySnapshots.release(name, context);
      return Result.DONE;
    }
    Volume volume = stored.get();
    StandbyRecords records = new StandbyRecords(volume, context);
    return switch (steps.apply(volume)) {
      case RECORD -> {
        var unused = records.write(volume.status().standby().withState(StandbyState.FOLLOWING));
        yield Result.after(SOON);
      }
      case AWAIT -> {
        records.lag("");
        yield Result.after(records.interval());
      }
      case KEEP -> keep(volume, records, context);
      case FOLLOW -> follow(volume, records, context);
      case DECIDE -> {
        TargetAccess access = TargetAccess.of(volume.spec().fromBackup(), context);
        yield activations.decide(volume, () -> answers(access), context);
      }
      case ACTIVATE -> activations.complete(volume, context);
    };
  }

  private Result keep(Volume volume, StandbyRecords records, ReconcileContext context)
      throws StorageException {
    StandbyStatus standby = volume.status().standby();
    Optional<Snapshot> kept;
    try {
      kept = new StandbySnapshots(volume, context).keep();
    } catch (StorageException e) {
      records.lag(String.valueOf(e.getMessage()));
      return Result.after(WAIT);
    }
    if (kept.isEmpty()) {
      return Result.after(SOON);
    }
    var unused =
        records.write(
            standby
                .withLastRestored(volume.status().restore().backup())
                .withLastRestoredBlocks(standby.appliedBlocks())
                .withLastRestoredAt(standby.appliedAt())
                .withSnapshot(kept.get().name()));
    return Result.after(SOON);
  }

  private Result follow(Volume volume, StandbyRecords records, ReconcileContext context)
      throws StorageException {
    new StandbySnapshots(volume, context).deleteEarlier();
    String work = volume.metadata().uid();
    Instant now = context.clock().instant();
    Instant due = looked.getOrDefault(work, Instant.EPOCH).plus(records.interval());
    if (!looks.isBegun(work)) {
      boolean early = due.isAfter(now) && !due.isAfter(now.plus(records.interval()));
      if (early) {
        return Result.after(Duration.between(now, due));
      }
      TargetAccess access = TargetAccess.of(volume.spec().fromBackup(), context);
      looks.begin(work, () -> NewerBackup.find(targets, access, volume.status().standby(), bases));
    }
    try {
      Optional<Optional<NewerBackup>> found = looks.take(work);
      if (found.isEmpty()) {
        return Result.after(SOON);
      }
      if (found.get().filter(one -> !one.isBasedOn(volume.status().standby())).isPresent()) {
        return Result.after(SOON);
      }
      looked.put(work, now);
      if (found.get().isPresent()) {
        return apply(volume, found.get().get(), records, context);
      }
      records.lag("");
    } catch (StorageException e) {
      if (looks.isBegun(work)) {
        throw e;
      }
      looked.put(work, now);
      records.lag(String.valueOf(e.getMessage()));
    }
    return Result.after(records.interval());
  }

  /** Begins to apply a backup while no node has the volume open. */
  private Result apply(
      Volume volume, NewerBackup newer, StandbyRecords records, ReconcileContext context)
      throws StorageException {
    looked.remove(volume.metadata().uid());
    if (newer.size().compareTo(volume.spec().size()) > 0) {
      var unused = context.store().update(volume.withSpec(volume.spec().withSize(newer.size())));
      return Result.after(WAIT);
    }
    boolean open =
        volume.status().state() != VolumeState.DETACHED || !volume.spec().nodeID().isEmpty();
    boolean small =
        volume.status().currentSize().bytes() > 0
            && volume.status().currentSize().compareTo(newer.size()) < 0;
    if (open || small) {
      records.lag(
          "backup "
              + newer.summary().name()
              + " waits until the volume is "
              + (small ? "expanded" : "detached"));
      return Result.after(WAIT);
    }
    StandbyStatus standby =
        volume
            .status()
            .standby()
            .withAppliedBlocks(newer.checksum())
            .withAppliedAt(newer.summary().snapshotTime())
            .withMessage("");
    String backup = newer.summary().name().backup();
    RestoreStatus restore = volume.status().restore();
    var unused =
        records.write(
            newer.isEqual()
                ? volume
                    .status()
                    .withRestore(restore.withBackup(backup))
                    .withStandby(
                        standby
                            .withLastRestored(backup)
                            .withLastRestoredBlocks(standby.appliedBlocks())
                            .withLastRestoredAt(standby.appliedAt()))
                : volume
                    .status()
                    .withRestore(
                        RestoreStatus.EMPTY
                            .withState(CloneState.INITIATED)
                            .withBackup(backup)
                            .withCopySize(newer.size())
                            .withRegionSize(newer.regionSize())
                            .withCopiedRegions(RegionCopyPlan.text(newer.unchanged())))
                    .withStandby(standby));
    return Result.after(SOON);
  }

  /** Reads the configuration of the followed volume to find out whether the target answers. */
  private boolean answers(TargetAccess access) throws StorageException {
    try (ObjectStore store = targets.open(access)) {
      return new LaidOutBackups(store)
          .hasVolume(TargetUrl.parse(access.address()).parameter(TargetUrl.VOLUME));
    }
  }
}
