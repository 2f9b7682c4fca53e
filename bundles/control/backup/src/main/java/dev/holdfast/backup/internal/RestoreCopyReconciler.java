package dev.holdfast.backup.internal;

import dev.holdfast.backup.internal.delta.DeltaBase;
import dev.holdfast.backup.internal.flatten.FlattenedSources;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.AttachedVolume;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.datapath.CopyRecord;
import dev.holdfast.datapath.CopyingDevice;
import dev.holdfast.datapath.NodeEngineReconciler;
import dev.holdfast.datapath.RegionCopy;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.RestoreStatus;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Copies backups into volumes that are open on this node, several regions at a time. An interrupted
 * copy resumes as soon as the volume is open again, on this or another node. While the target is
 * unreachable, requests for missing regions of a lazily restored volume wait.
 */
@Component(service = Reconciler.class)
public final class RestoreCopyReconciler implements NodeEngineReconciler {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration PAUSE = Duration.ofSeconds(10);
  private static final Duration SHORT_PAUSE = Duration.ofSeconds(2);

  /**
   * Maximum number of regions in flight, shared by all volumes that are being restored on this
   * node.
   */
  private static final int REGIONS = 12;

  /** One region for waiting requests, and one for the remaining content. */
  private static final int FEWEST = 2;

  private final InstalledTargets targets;
  private final AttachedVolumes volumes;
  private final ClusterImages images;
  private final DeltaBase bases;
  private final BackgroundWork<Volume> copyings;
  private final Map<String, Instant> pauses = new ConcurrentHashMap<>();
  private final Map<String, CopyingDevice> devices = new ConcurrentHashMap<>();

  /** Creates the reconciler of a running bundle. */
  @Activate
  public RestoreCopyReconciler(
      @Reference InstalledTargets targets,
      @Reference AttachedVolumes volumes,
      @Reference ClusterImages images) {
    this(targets, volumes, images, new DeltaBase());
  }

  RestoreCopyReconciler(
      InstalledTargets targets, AttachedVolumes volumes, ClusterImages images, DeltaBase bases) {
    this.targets = targets;
    this.volumes = volumes;
    this.images = images;
    this.bases = bases;
    this.copyings = new BackgroundWork<>(volumes.executor());
  }

  @Override
  public String name() {
    return "volume-restore-copy";
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    return List.of(
        NodeEngineReconciler.volumesOf(context),
        new Watched<>(BackupTarget.KIND, target -> List.of()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    if (copyings.isBegun(name)) {
      stopIfReverting(name, context);
      return follow(name, context);
    }
    Optional<CopyingDevice> device = volumes.get(name).flatMap(AttachedVolume::copying);
    Optional<Volume> restored = restored(name, context);
    if (device.isEmpty() || restored.isEmpty()) {
      return Result.DONE;
    }
    Instant now = context.clock().instant();
    Instant due = pauses.getOrDefault(name, now);
    if (!due.isAfter(now) || due.isAfter(now.plus(PAUSE))) {
      Volume volume = restored.get();
      TargetAccess access = TargetAccess.ofRestore(volume, context);
      int share = Math.max(FEWEST, REGIONS / (copyings.count() + 1));
      devices.put(name, device.get());
      copyings.begin(
          name,
          volume.isReverting()
              ? () -> StandbyRevert.run(volumes, volume, name, device.get())
              : () -> copy(volume, access, device.get(), share));
    }
    return Result.after(POLL);
  }

  /** Stops a copy before its volume is reverted. */
  private void stopIfReverting(String name, ReconcileContext context) {
    if (restored(name, context).filter(Volume::isReverting).isPresent()) {
      Optional.ofNullable(devices.get(name)).ifPresent(CopyingDevice::shut);
    }
  }

  private static Optional<Volume> restored(String engine, ReconcileContext context) {
    return context
        .get(Engine.KIND, engine)
        .flatMap(
            found ->
                context
                    .get(Volume.KIND, found.spec().volume())
                    .filter(volume -> volume.follows(found)))
        .filter(volume -> !volume.spec().fromBackup().isEmpty())
        .filter(Volume::isBeingCopied);
  }

  private Volume copy(Volume volume, TargetAccess access, CopyingDevice device, int regions)
      throws StorageException {
    CopyRecord record = new CopyRecord(volumes::store, volume);
    RestoreDamage damage = new RestoreDamage(volumes, record);
    try (RestoredBackup backup = RestoredBackup.open(targets, access, volumes.executor())) {
      List<RegionCopy.CopySource> sources = backup.sources(regions, damage);
      Volume current = record.current();
      if (current.isReverting()) {
        throw new StorageException(
            ErrorCode.CONFLICT, "volume " + volume.name() + " is to be reverted");
      }
      if (current.isStandby()) {
        sources = backup.lacking(sources, current, device.target(), bases);
      }
      if (volume.spec().restoreFlattened() && !backup.image().isNone()) {
        BackingImage image =
            new RestoredImage(volume, backup.image(), Optional.empty(), volumes.store()).require();
        try (FlattenedSources flattened =
            FlattenedSources.open(sources, () -> images.open(image.name()))) {
          new RegionCopy(flattened.all(), volumes.executor(), device, record).run();
        }
      } else {
        new RegionCopy(sources, volumes.executor(), device, record).run();
      }
    }
    return volume;
  }

  private Result follow(String name, ReconcileContext context) throws StorageException {
    try {
      Optional<Volume> whole = copyings.take(name);
      if (whole.isPresent()) {
        complete(whole.get(), context);
        pauses.remove(name);
        devices.remove(name);
      }
    } catch (StorageException e) {
      if (copyings.isBegun(name)) {
        throw e;
      }
      Optional<Volume> volume = restored(name, context);
      Optional<CopyingDevice> device = volumes.get(name).flatMap(AttachedVolume::copying);
      boolean brief = isTemporary(e) && device.filter(CopyingDevice::hasWaiting).isPresent();
      pauses.put(name, context.clock().instant().plus(brief ? SHORT_PAUSE : PAUSE));
      boolean stopped = volume.filter(Volume::isReverting).isPresent() && isTemporary(e);
      if (stopped) {
        pauses.remove(name);
      } else if (volume.isPresent() && device.filter(d -> d == devices.get(name)).isPresent()) {
        if (!isTemporary(e)) {
          device.get().fail(e);
        }
        tell(volume.get(), String.valueOf(e.getMessage()), context);
      }
    }
    return Result.after(POLL);
  }

  /** Returns whether requests wait until a failure ends, instead of failing. */
  private static boolean isTemporary(StorageException failure) {
    return switch (failure.code()) {
      case UNREACHABLE, BUSY, CONFLICT, TIMEOUT, EXPIRED, FORBIDDEN -> true;
      case NOT_FOUND, ALREADY_EXISTS, INVALID, UNSUPPORTED, NO_SPACE, IO, INTERNAL -> false;
    };
  }

  private static Optional<Volume> stored(Volume volume, ReconcileContext context)
      throws StorageException {
    return context
        .store()
        .get(Volume.KIND, volume.name())
        .filter(Volume::isBeingCopied)
        .filter(found -> CopyRecord.isSameContent(found, volume));
  }

  private static void tell(Volume volume, String why, ReconcileContext context)
      throws StorageException {
    Optional<Volume> stored = stored(volume, context);
    if (stored.filter(v -> !v.status().restore().message().equals(why)).isPresent()) {
      write(stored.get(), stored.get().status().restore().withMessage(why), context);
      context.events().warning(stored.get(), "RestoreFailed", why);
    }
  }

  private static void complete(Volume volume, ReconcileContext context) throws StorageException {
    Optional<Volume> stored = stored(volume, context);
    if (stored.isEmpty()) {
      return;
    }
    boolean healthy = stored.get().status().robustness() == Robustness.HEALTHY;
    RestoreStatus status = stored.get().status().restore();
    boolean reverted = volume.isReverting();
    write(
        stored.get(),
        RestoreStatus.EMPTY
            .withState(healthy ? CloneState.COMPLETED : CloneState.COPY_COMPLETED_AWAITING_HEALTHY)
            .withBackup(reverted ? volume.status().standby().lastRestored() : status.backup())
            .withAttempts(status.attempts())
            .withProgress(100)
            .withDamaged(status.damaged())
            .withDamagedBlocks(status.damagedBlocks()),
        context);
    if (reverted) {
      context
          .events()
          .normal(
              stored.get(),
              "Reverted",
              "its content is that of backup " + volume.status().standby().lastRestored());
    } else if (status.damagedBlocks() == 0) {
      context.events().normal(stored.get(), "Restored", "its content is that of the backup");
    } else {
      context
          .events()
          .warning(
              stored.get(),
              "RestoredWithDamage",
              "its content is that of the backup, but "
                  + status.damagedBlocks()
                  + " damaged blocks are zeroes, the first at "
                  + status.damaged().get(0));
    }
  }

  private static void write(Volume volume, RestoreStatus status, ReconcileContext context)
      throws StorageException {
    context.store().updateStatus(volume.withStatus(volume.status().withRestore(status)));
  }
}
