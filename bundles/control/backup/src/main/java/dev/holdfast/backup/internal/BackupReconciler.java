package dev.holdfast.backup.internal;

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
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupStatus;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupVolume;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Takes backups through their states: requests the snapshot, assigns the backup to the node that
 * has the volume open, retries after failures, and deletes the backup at the target.
 *
 * <pre>
 *   (none) --> InProgress --> Completed
 *                |     ^
 *                v     |
 *               Error -+
 * </pre>
 */
@Component(service = Reconciler.class)
public final class BackupReconciler implements Reconciler<Backup> {
  private static final Duration SOON = Duration.ofSeconds(1);

  private final BackupDeletion deletion;

  /** Creates the reconciler of a running bundle. */
  @Activate
  public BackupReconciler(@Reference InstalledTargets targets, @Reference AttachedVolumes volumes) {
    this(targets, volumes.executor());
  }

  BackupReconciler(InstalledTargets targets, Executor threads) {
    this.deletion = new BackupDeletion(targets, threads);
  }

  @Override
  public String name() {
    return "backup";
  }

  @Override
  public ResourceKind<Backup> kind() {
    return Backup.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    return List.of(
        new Watched<>(
            Snapshot.KIND,
            snapshot ->
                Stream.concat(
                        Stream.ofNullable(snapshot.metadata().labels().get(Backup.SNAPSHOT_LABEL)),
                        named(context, backup -> snapshot.name().equals(snapshotOf(backup))))
                    .toList()),
        new Watched<>(
            Backup.KIND,
            changed ->
                named(context, backup -> backup.spec().volume().equals(changed.spec().volume()))
                    .toList()),
        new Watched<>(BackupVolume.KIND, volume -> List.of()),
        Watched.wakingAll(BackupTarget.KIND));
  }

  private static String snapshotOf(Backup backup) {
    String known = backup.status().snapshotName();
    return known.isEmpty() ? backup.spec().snapshotName() : known;
  }

  private static Stream<String> named(ReconcileContext context, Predicate<Backup> wanted) {
    return context.list(Backup.KIND, LabelSelector.ALL).stream().filter(wanted).map(Backup::name);
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    BackupSnapshots snapshots = new BackupSnapshots(context);
    Optional<Backup> cached = context.get(Backup.KIND, name);
    Optional<Backup> stored =
        cached.isPresent() ? context.store().get(Backup.KIND, name) : Optional.empty();
    if (cached.isPresent() || context.store().get(Backup.KIND, name).isEmpty()) {
      snapshots.release(name);
    }
    if (stored.isEmpty()) {
      return Result.DONE;
    }
    Backup backup = stored.get();
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
    return advance(backup, snapshots, context);
  }

  private static Result advance(Backup backup, BackupSnapshots snapshots, ReconcileContext context)
      throws StorageException {
    BackupStatus status = backup.status();
    Instant now = context.clock().instant();
    return switch (status.state()) {
      case NONE -> begin(backup, snapshots, context);
      case IN_PROGRESS -> requireSource(backup, context);
      case COMPLETED -> {
        requireVolume(backup, context);
        yield Result.DONE;
      }
      case ERROR -> {
        if (backup.isFinal()) {
          yield Result.DONE;
        }
        Optional<Duration> left = AttemptPauses.left(status.nextAttemptAt(), now);
        if (left.isPresent()) {
          yield Result.after(left.get());
        }
        BackupState again =
            status.snapshotUID().isEmpty() ? BackupState.NONE : BackupState.IN_PROGRESS;
        yield write(backup, status.withState(again).withNextAttemptAt(Optional.empty()), context);
      }
    };
  }

  /** Creates the BackupVolume of the volume before the next scan of the target. */
  private static void requireVolume(Backup backup, ReconcileContext context)
      throws StorageException {
    BackupVolume volume = BackupVolume.of(backup.spec().backupTargetName(), backup.spec().volume());
    boolean absent =
        context.get(BackupVolume.KIND, volume.name()).isEmpty()
            && context.get(BackupTarget.KIND, volume.spec().backupTargetName()).isPresent();
    if (absent) {
      try {
        context.store().create(volume);
      } catch (StorageException e) {
        if (e.code() != ErrorCode.ALREADY_EXISTS) {
          throw e;
        }
      }
    }
  }

  private static Result begin(Backup backup, BackupSnapshots snapshots, ReconcileContext context)
      throws StorageException {
    String volume = backup.spec().volume();
    try {
      Optional<Volume> source =
          context.store().get(Volume.KIND, volume).filter(found -> !found.isBeingDeleted());
      if (source.isEmpty()) {
        throw new StorageException(ErrorCode.NOT_FOUND, "volume " + volume + " does not exist");
      }
      if (source.get().awaitsContent()) {
        return Result.after(SOON);
      }
      Snapshot snapshot = snapshots.require(backup);
      if (!snapshot.status().error().isEmpty()) {
        throw new StorageException(
            ErrorCode.UNSUPPORTED,
            "snapshot " + snapshot.name() + ": " + snapshot.status().error());
      }
      if (!snapshot.status().readyToUse()) {
        return Result.after(SOON);
      }
      return write(
          backup,
          backup
              .status()
              .withState(BackupState.IN_PROGRESS)
              .withError("")
              .withSnapshotName(snapshot.name())
              .withSnapshotUID(snapshot.metadata().uid())
              .withSnapshotCreatedAt(snapshot.status().creationTime())
              .withVolumeSize(snapshot.status().restoreSize()),
          context);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND && e.code() != ErrorCode.UNSUPPORTED) {
        throw e;
      }
      return fail(backup, new StorageException(ErrorCode.UNSUPPORTED, e.getMessage(), e), context);
    }
  }

  /** Fails a backup whose snapshot or volume is gone, because it cannot be written. */
  private static Result requireSource(Backup backup, ReconcileContext context)
      throws StorageException {
    boolean present =
        context
            .store()
            .get(Snapshot.KIND, backup.status().snapshotName())
            .filter(s -> s.metadata().uid().equals(backup.status().snapshotUID()))
            .filter(s -> !s.isBeingDeleted() && s.status().error().isEmpty())
            .isPresent();
    return present
        ? Result.DONE
        : fail(
            backup,
            new StorageException(
                ErrorCode.UNSUPPORTED,
                "snapshot " + backup.status().snapshotName() + " is gone: make another backup"),
            context);
  }

  private static Result fail(Backup backup, StorageException why, ReconcileContext context)
      throws StorageException {
    context.events().warning(backup, "BackupFailed", String.valueOf(why.getMessage()));
    BackupStatus failed = BackupRecords.failed(backup.status(), why, context.clock().instant());
    return write(backup, failed, context);
  }

  private static Result write(Backup backup, BackupStatus next, ReconcileContext context)
      throws StorageException {
    if (!next.equals(backup.status())) {
      context.store().updateStatus(backup.withStatus(next));
    }
    return Result.after(SOON);
  }
}
