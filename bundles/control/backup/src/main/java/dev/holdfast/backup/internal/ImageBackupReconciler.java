package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.image.StoredImage;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupBackingImageStatus;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/**
 * Writes backups of images from any verified copy, on the leading node, and deletes them at their
 * targets. An interrupted attempt is repeated and does not send blocks that the target has.
 */
@Component(service = Reconciler.class)
public final class ImageBackupReconciler implements Reconciler<BackupBackingImage> {
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration WAIT = Duration.ofSeconds(5);

  private final InstalledTargets targets;
  private final ClusterImages images;
  private final BackgroundWork<StoredImage> attempts;
  private final ImageBackupDeletion deletion;
  private final Map<String, RunningImageBackup> running = new ConcurrentHashMap<>();

  /** Creates the reconciler of a running bundle. */
  @Activate
  public ImageBackupReconciler(
      @Reference InstalledTargets targets,
      @Reference ClusterImages images,
      @Reference AttachedVolumes volumes) {
    this(targets, images, volumes.executor());
  }

  ImageBackupReconciler(InstalledTargets targets, ClusterImages images, Executor threads) {
    this.targets = targets;
    this.images = images;
    this.attempts = new BackgroundWork<>(threads);
    this.deletion = new ImageBackupDeletion(targets, threads);
  }

  @Deactivate
  void deactivate() {
    running.values().forEach(RunningImageBackup::cancel);
  }

  @Override
  public String name() {
    return "backup-backing-image";
  }

  @Override
  public ResourceKind<BackupBackingImage> kind() {
    return BackupBackingImage.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    return List.of(
        new Watched<>(
            BackingImage.KIND,
            image ->
                context.list(BackupBackingImage.KIND, LabelSelector.ALL).stream()
                    .filter(backup -> backup.spec().backingImage().equals(image.name()))
                    .map(BackupBackingImage::name)
                    .toList()),
        new Watched<>(BackupTarget.KIND, target -> List.of()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<BackupBackingImage> stored =
        context.get(BackupBackingImage.KIND, name).isPresent()
            ? context.store().get(BackupBackingImage.KIND, name)
            : Optional.empty();
    if (stored.isEmpty()) {
      return Result.DONE;
    }
    BackupBackingImage backup = stored.get();
    if (backup.isBeingDeleted()) {
      RunningImageBackup present = running.remove(backup.metadata().uid());
      if (present != null) {
        present.cancel();
      }
      return deletion.advance(backup, context) ? Result.DONE : Result.after(POLL);
    }
    if (!backup.spec().userCreated()) {
      return Result.DONE;
    }
    if (!backup.metadata().hasFinalizer(Backup.FINALIZER)) {
      backup =
          context
              .store()
              .update(backup.withMetadata(backup.metadata().plusFinalizer(Backup.FINALIZER)));
    }
    return advance(backup, context);
  }

  private Result advance(BackupBackingImage backup, ReconcileContext context)
      throws StorageException {
    BackupBackingImageStatus status = backup.status();
    return switch (status.state()) {
      case NONE -> write(backup, status.withState(BackupState.IN_PROGRESS), context);
      case IN_PROGRESS ->
          attempts.isBegun(backup.metadata().uid())
              ? follow(backup, context)
              : begin(backup, context);
      case COMPLETED -> Result.DONE;
      case ERROR -> {
        if (backup.isFinal()) {
          yield Result.DONE;
        }
        Optional<Duration> left =
            AttemptPauses.left(status.nextAttemptAt(), context.clock().instant());
        yield left.isPresent()
            ? Result.after(left.get())
            : write(
                backup,
                status.withState(BackupState.IN_PROGRESS).withNextAttemptAt(Optional.empty()),
                context);
      }
    };
  }

  private Result begin(BackupBackingImage backup, ReconcileContext context)
      throws StorageException {
    String name = backup.spec().backingImage();
    Optional<BackupTarget> target =
        context.store().get(BackupTarget.KIND, backup.spec().backupTargetName());
    Optional<BackingImage> image =
        context.store().get(BackingImage.KIND, name).filter(found -> !found.isBeingDeleted());
    if (target.isEmpty()) {
      return fail(
          backup, "backup target " + backup.spec().backupTargetName() + " does not exist", context);
    }
    if (image.isEmpty()) {
      return fail(backup, "image " + name + " does not exist", context);
    }
    if (!image.get().isReady()) {
      Result wait = Result.after(WAIT);
      String why = "waits: image " + name + " is not ready";
      return status(backup, backup.status().withError(why), wait, context);
    }
    RunningImageBackup attempt = new RunningImageBackup(targets, backup, target.get(), image.get());
    running.put(backup.metadata().uid(), attempt);
    attempts.begin(backup.metadata().uid(), () -> attempt.run(images));
    return Result.after(POLL);
  }

  private Result follow(BackupBackingImage backup, ReconcileContext context)
      throws StorageException {
    String work = backup.metadata().uid();
    try {
      Optional<StoredImage> written = attempts.take(work);
      if (written.isPresent()) {
        running.remove(work);
        context.events().normal(backup, "BackupCompleted", "it was read back from its target");
        return write(backup, completed(backup, written.get().summary(), context), context);
      }
    } catch (StorageException e) {
      running.remove(work);
      return fail(backup, e, context);
    }
    RunningImageBackup attempt = running.get(work);
    int percent = attempt == null ? backup.status().progress() : attempt.percent();
    return write(backup, backup.status().withProgress(percent).withError(""), context);
  }

  private static BackupBackingImageStatus completed(
      BackupBackingImage backup, StoredImage.Summary written, ReconcileContext context)
      throws StorageException {
    String url =
        context
            .store()
            .get(BackupTarget.KIND, backup.spec().backupTargetName())
            .map(target -> TargetAccess.addressOfImage(target, written.name()))
            .orElse("");
    return ImageBackupRecords.found(backup.status(), written).withUrl(url);
  }

  private static Result fail(BackupBackingImage backup, String why, ReconcileContext context)
      throws StorageException {
    return fail(backup, new StorageException(ErrorCode.UNSUPPORTED, why), context);
  }

  private static Result fail(
      BackupBackingImage backup, StorageException why, ReconcileContext context)
      throws StorageException {
    String message = String.valueOf(why.getMessage());
    boolean lasting = why.code() == ErrorCode.INVALID || why.code() == ErrorCode.UNSUPPORTED;
    int failures = backup.status().attempts() + 1;
    Instant now = context.clock().instant();
    context.events().warning(backup, "BackupFailed", message);
    return write(
        backup,
        backup
            .status()
            .withState(BackupState.ERROR)
            .withAttempts(failures)
            .withNextAttemptAt(
                lasting ? Optional.empty() : Optional.of(AttemptPauses.next(failures, now)))
            .withError(message),
        context);
  }

  private static Result write(
      BackupBackingImage backup, BackupBackingImageStatus next, ReconcileContext context)
      throws StorageException {
    return status(backup, next, Result.after(POLL), context);
  }

  private static Result status(
      BackupBackingImage backup,
      BackupBackingImageStatus next,
      Result then,
      ReconcileContext context)
      throws StorageException {
    if (!next.equals(backup.status())) {
      context.store().updateStatus(backup.withStatus(next));
    }
    return then;
  }
}
