package dev.holdfast.backup.internal.system;

import dev.holdfast.backup.internal.AttemptPauses;
import dev.holdfast.backup.internal.BackgroundWork;
import dev.holdfast.backup.internal.InstalledTargets;
import dev.holdfast.backup.internal.TargetAccess;
import dev.holdfast.backupstore.system.SystemArchive;
import dev.holdfast.backupstore.system.SystemArchives;
import dev.holdfast.backupstore.system.SystemBackupFile;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.SystemBackup;
import dev.holdfast.resource.backup.SystemBackupState;
import dev.holdfast.resource.backup.SystemBackupStatus;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.WorkloadObjects;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Makes system backups: requests the required backups of volumes and images, then sends the
 * resources. The failed backup of a volume or an image does not stop the others; the status names
 * it.
 */
@Component(service = Reconciler.class)
public final class SystemBackupReconciler implements Reconciler<SystemBackup> {
  private static final Duration SOON = Duration.ofMillis(500);
  private static final Duration AGAIN = Duration.ofSeconds(30);

  private final InstalledTargets targets;
  private final BackgroundWork<SystemBackupStatus> uploads;
  private final SystemBackupDeletion deletion;
  private final WorkloadObjects objects;
  private final VolumeBackupChoice.Factory choices;

  /**
   * Creates the reconciler of a running bundle.
   *
   * @param store store, which may also provide objects of an orchestrator
   */
  @Activate
  public SystemBackupReconciler(
      @Reference InstalledTargets targets,
      @Reference AttachedVolumes volumes,
      @Reference ResourceStore store) {
    this(targets, volumes.executor(), WorkloadItems.of(store), VolumeBackupChoice::new);
  }

  SystemBackupReconciler(
      InstalledTargets targets,
      Executor threads,
      WorkloadObjects objects,
      VolumeBackupChoice.Factory choices) {
    this.targets = targets;
    this.objects = objects;
    this.choices = choices;
    this.uploads = new BackgroundWork<>(threads);
    this.deletion = new SystemBackupDeletion(targets, threads);
  }

  @Override
  public String name() {
    return "system-backup";
  }

  @Override
  public ResourceKind<SystemBackup> kind() {
    return SystemBackup.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(
        new Watched<>(
            Backup.KIND,
            backup ->
                Stream.ofNullable(backup.metadata().labels().get(SystemBackup.LABEL)).toList()),
        new Watched<>(
            BackupBackingImage.KIND,
            backup ->
                Stream.ofNullable(backup.metadata().labels().get(SystemBackup.LABEL)).toList()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    if (context.get(SystemBackup.KIND, name).isEmpty()) {
      return Result.DONE;
    }
    Optional<SystemBackup> stored = context.store().get(SystemBackup.KIND, name);
    if (stored.isEmpty()) {
      return Result.DONE;
    }
    SystemBackup backup = stored.get();
    if (backup.isBeingDeleted()) {
      return deletion.advance(backup, context) ? Result.DONE : Result.after(SOON);
    }
    if (backup.isDiscovered()) {
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

  private Result advance(SystemBackup backup, ReconcileContext context) throws StorageException {
    SystemBackupStatus status = backup.status();
    return switch (status.state()) {
      case NONE -> {
        makeBackups(backup, context);
        yield write(backup, status.withState(SystemBackupState.VOLUME_BACKUPS), context);
      }
      case VOLUME_BACKUPS -> {
        boolean awaited =
            stored(Backup.KIND, context).stream().anyMatch(volumes(backup, context)::isAwaited)
                || stored(BackupBackingImage.KIND, context).stream()
                    .anyMatch(images(backup, context)::isAwaited);
        yield awaited
            ? Result.after(AGAIN)
            : write(backup, status.withState(SystemBackupState.UPLOADING), context);
      }
      case UPLOADING -> upload(backup, context);
      case READY -> Result.DONE;
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
                status.withState(SystemBackupState.UPLOADING).withNextAttemptAt(Optional.empty()),
                context);
      }
    };
  }

  private static <R extends Resource<R>> List<R> stored(
      ResourceKind<R> kind, ReconcileContext context) throws StorageException {
    return context.store().list(kind, LabelSelector.ALL).items();
  }

  private VolumeBackupChoice volumes(SystemBackup backup, ReconcileContext context)
      throws StorageException {
    return choices.of(backup, stored(Backup.KIND, context));
  }

  private static ImageBackupChoice images(SystemBackup backup, ReconcileContext context)
      throws StorageException {
    return new ImageBackupChoice(backup, stored(BackupBackingImage.KIND, context));
  }

  private void makeBackups(SystemBackup backup, ReconcileContext context) throws StorageException {
    for (Backup made : volumes(backup, context).toMake(stored(Volume.KIND, context))) {
      make(made, context);
    }
    for (BackupBackingImage made :
        images(backup, context).toMake(stored(BackingImage.KIND, context))) {
      make(made, context);
    }
  }

  private static <R extends Resource<R>> void make(R backup, ReconcileContext context)
      throws StorageException {
    try {
      context.store().create(backup);
    } catch (StorageException e) {
      // An earlier attempt already created the backup. Volumes that cannot have a backup are named
      // later.
      if (e.code() != ErrorCode.ALREADY_EXISTS && e.code() != ErrorCode.INVALID) {
        throw e;
      }
    }
  }

  private Result upload(SystemBackup backup, ReconcileContext context) throws StorageException {
    String work = backup.metadata().uid();
    if (!uploads.isBegun(work)) {
      Optional<BackupTarget> target =
          context.store().get(BackupTarget.KIND, backup.spec().backupTargetName());
      if (target.isEmpty()) {
        return fail(
            backup,
            new StorageException(
                ErrorCode.NOT_FOUND,
                "backup target " + backup.spec().backupTargetName() + " does not exist"),
            context);
      }
      uploads.begin(work, () -> written(backup, target.get(), context));
    }
    try {
      Optional<SystemBackupStatus> written = uploads.take(work);
      return written.isEmpty() ? Result.after(SOON) : write(backup, written.get(), context);
    } catch (StorageException e) {
      return uploads.isBegun(work) || e.code() == ErrorCode.CONFLICT
          ? Result.after(SOON)
          : fail(backup, e, context);
    }
  }

  private SystemBackupStatus written(
      SystemBackup backup, BackupTarget target, ReconcileContext context) throws StorageException {
    Instant now = context.clock().instant().truncatedTo(ChronoUnit.SECONDS);
    SystemContent content = new SystemContent(volumes(backup, context), images(backup, context));
    content.read(context.store(), context.kinds());
    content.readWorkloads(objects);
    SystemBackupFile described =
        new SystemBackupFile(
            backup.name(),
            backup.metadata().uid(),
            now,
            0,
            "",
            content.files().size(),
            content.volumes(),
            target.spec().backupTargetURL());
    try (ObjectStore store = targets.open(TargetAccess.of(target))) {
      SystemBackupFile file =
          new SystemArchives(store).write(described, SystemArchive.pack(content.files()));
      return ReadyStatus.of(backup.status(), file).withFailures(content.failures());
    }
  }

  private static Result fail(SystemBackup backup, StorageException why, ReconcileContext context)
      throws StorageException {
    int attempts = backup.status().attempts() + 1;
    Instant now = context.clock().instant();
    String message = String.valueOf(why.getMessage());
    context.events().warning(backup, "SystemBackupFailed", message);
    return write(
        backup,
        backup
            .status()
            .withState(SystemBackupState.ERROR)
            .withAttempts(attempts)
            .withNextAttemptAt(
                Lasting.is(why) ? Optional.empty() : Optional.of(AttemptPauses.next(attempts, now)))
            .withError(message),
        context);
  }

  private static Result write(
      SystemBackup backup, SystemBackupStatus next, ReconcileContext context)
      throws StorageException {
    context.store().updateStatus(backup.withStatus(next));
    return Result.after(SOON);
  }
}
