package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.StoredBackup;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.datapath.RegionCopyPlan;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.RestoreStatus;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Takes restored volumes to their first content: reads the backup's description, requests the
 * restore of its image, records how much must be copied, and retries after failures. The node that
 * has the volume open copies the content.
 */
@Component(service = Reconciler.class)
public final class RestoreReconciler implements Reconciler<Volume> {
  private static final Duration SOON = Duration.ofMillis(500);
  private static final Duration WAIT = Duration.ofSeconds(2);

  private final InstalledTargets targets;
  private final BackgroundWork<RestoredBackup.Description> descriptions;

  /** Creates the reconciler of a running bundle. */
  @Activate
  public RestoreReconciler(
      @Reference InstalledTargets targets, @Reference AttachedVolumes volumes) {
    this(targets, volumes.executor());
  }

  RestoreReconciler(InstalledTargets targets, Executor threads) {
    this.targets = targets;
    this.descriptions = new BackgroundWork<>(threads);
  }

  @Override
  public String name() {
    return "volume-restore";
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
    return List.of(new Watched<>(BackupTarget.KIND, target -> List.of()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    if (context
        .get(Volume.KIND, name)
        .filter(volume -> !volume.spec().fromBackup().isEmpty())
        .filter(Volume::awaitsContent)
        .isEmpty()) {
      return settle(name, context);
    }
    Optional<Volume> stored =
        context.store().get(Volume.KIND, name).filter(volume -> !volume.isBeingDeleted());
    if (stored.isEmpty()) {
      return Result.DONE;
    }
    Volume volume = stored.get();
    RestoreStatus status = volume.status().restore();
    return switch (status.state()) {
      case NONE -> describe(volume, context);
      case INITIATED, COPY_COMPLETED_AWAITING_HEALTHY, COMPLETED -> Result.DONE;
      case FAILED -> {
        Optional<Duration> left =
            AttemptPauses.left(status.nextAttemptAt(), context.clock().instant());
        yield left.isPresent()
            ? Result.after(left.get())
            : write(volume, status.withState(CloneState.NONE), context);
      }
    };
  }

  /** Records that all replicas have the restored content. */
  private static Result settle(String name, ReconcileContext context) throws StorageException {
    Optional<Volume> cached =
        context
            .get(Volume.KIND, name)
            .filter(volume -> !volume.spec().fromBackup().isEmpty())
            .filter(RestoreReconciler::awaitsHealth);
    if (cached.isEmpty()) {
      return Result.DONE;
    }
    Optional<Volume> stored =
        context.store().get(Volume.KIND, name).filter(RestoreReconciler::awaitsHealth);
    return stored.filter(volume -> volume.status().robustness() == Robustness.HEALTHY).isPresent()
        ? write(
            stored.get(), stored.get().status().restore().withState(CloneState.COMPLETED), context)
        : Result.DONE;
  }

  private static boolean awaitsHealth(Volume volume) {
    return volume.status().restore().state() == CloneState.COPY_COMPLETED_AWAITING_HEALTHY;
  }

  private Result describe(Volume volume, ReconcileContext context) throws StorageException {
    String work = volume.metadata().uid();
    TargetAccess access = TargetAccess.of(volume.spec().fromBackup(), context);
    if (!descriptions.isBegun(work)) {
      descriptions.begin(work, () -> RestoredBackup.describe(targets, access));
      return Result.after(SOON);
    }
    RestoreStatus status = volume.status().restore();
    try {
      Optional<RestoredBackup.Description> description = descriptions.take(work);
      if (description.isEmpty()) {
        return Result.after(SOON);
      }
      StoredBackup backup = description.get().backup();
      RestoreStatus initiated = initiated(status, volume, backup);
      Optional<String> awaited =
          backup.image().isNone()
              ? Optional.empty()
              : new RestoredImage(
                      volume, backup.image(), description.get().image(), context.store())
                  .advance();
      return awaited.isPresent()
          ? await(volume, awaited.get(), context)
          : write(applying(volume, backup), initiated, context);
    } catch (StorageException e) {
      String why = String.valueOf(e.getMessage());
      Instant now = context.clock().instant();
      int attempts = status.attempts() + 1;
      context.events().warning(volume, "RestoreFailed", why);
      return write(
          volume,
          status
              .withState(CloneState.FAILED)
              .withAttempts(attempts)
              .withNextAttemptAt(Optional.of(AttemptPauses.next(attempts, now)))
              .withMessage(why),
          context);
    }
  }

  private static RestoreStatus initiated(RestoreStatus status, Volume volume, StoredBackup backup)
      throws StorageException {
    Quantity size = new Quantity(backup.volumeSizeBytes());
    if (size.compareTo(volume.spec().size()) > 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          "backup "
              + backup.summary().name()
              + " has "
              + size
              + ", volume "
              + volume.name()
              + " only "
              + volume.spec().size()
              + ": raise its spec.size");
    }
    if (volume.isStandby() && !backup.image().isNone()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "backup "
              + backup.summary().name()
              + " is above the image "
              + backup.image().name()
              + ", and a standby volume follows only backups without one: create a volume without"
              + " spec.standby");
    }
    long region =
        Math.max(RegionCopyPlan.regionSizeFor(size).bytes(), backup.summary().blockSize());
    return RestoreStatus.EMPTY
        .withState(CloneState.INITIATED)
        .withBackup(backup.summary().name().backup())
        .withAttempts(status.attempts())
        .withCopySize(size)
        .withRegionSize(new Quantity(region));
  }

  /** Returns a standby volume with the identity of the content that is applied. */
  private static Volume applying(Volume volume, StoredBackup backup) {
    return volume.isStandby()
        ? volume.withStatus(
            volume
                .status()
                .withStandby(
                    volume
                        .status()
                        .standby()
                        .withAppliedBlocks(backup.contentChecksum())
                        .withAppliedAt(backup.summary().snapshotTime())))
        : volume;
  }

  /**
   * Records the condition for which the restore waits, and reads the backup's description again
   * later.
   */
  private static Result await(Volume volume, String what, ReconcileContext context)
      throws StorageException {
    Optional<Volume> stored = context.store().get(Volume.KIND, volume.name());
    if (stored.isPresent()) {
      var unused = write(stored.get(), stored.get().status().restore().withMessage(what), context);
    }
    return Result.after(WAIT);
  }

  private static Result write(Volume volume, RestoreStatus next, ReconcileContext context)
      throws StorageException {
    if (!next.equals(volume.status().restore())) {
      context.store().updateStatus(volume.withStatus(volume.status().withRestore(next)));
    }
    return Result.after(SOON);
  }
}
