package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupSource;
import dev.holdfast.backupstore.RecordedImage;
import dev.holdfast.backupstore.WrittenBackup;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.ActiveEngines;
import dev.holdfast.datapath.AttachedVolume;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.datapath.SnapshotReader;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupStatus;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/**
 * Writes backups of volumes that are open on this node. An interrupted attempt is repeated on this
 * or another node, and does not send blocks that the target has.
 */
@Component(service = Reconciler.class)
public final class BackupTransferReconciler implements Reconciler<Backup> {
  private static final Duration POLL = Duration.ofSeconds(1);

  private final InstalledTargets targets;
  private final AttachedVolumes volumes;
  private final Function<SnapshotReader, BackupSource> source;
  private final BackgroundWork<WrittenBackup> attempts;
  private final Map<String, RunningBackup> running = new ConcurrentHashMap<>();

  /** Creates the reconciler of a running bundle. */
  @Activate
  public BackupTransferReconciler(
      @Reference InstalledTargets targets, @Reference AttachedVolumes volumes) {
    this(targets, volumes, SnapshotBackupSource::new);
  }

  BackupTransferReconciler(
      InstalledTargets targets,
      AttachedVolumes volumes,
      Function<SnapshotReader, BackupSource> source) {
    this.targets = targets;
    this.volumes = volumes;
    this.source = source;
    this.attempts = new BackgroundWork<>(volumes.executor());
  }

  @Deactivate
  void deactivate() {
    running.values().forEach(RunningBackup::cancel);
  }

  @Override
  public String name() {
    return "backup-transfer";
  }

  @Override
  public ResourceKind<Backup> kind() {
    return Backup.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    return List.of(
        new Watched<>(
            Engine.KIND,
            engine ->
                context.list(Backup.KIND, LabelSelector.ALL).stream()
                    .filter(backup -> backup.spec().volume().equals(engine.spec().volume()))
                    .filter(Backup::needsEngine)
                    .map(Backup::name)
                    .toList()),
        new Watched<>(BackupTarget.KIND, target -> List.of()),
        new Watched<>(Snapshot.KIND, snapshot -> List.of()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Backup> backup = context.get(Backup.KIND, name).filter(Backup::needsEngine);
    RunningBackup present = running.get(name);
    if (present != null && !attempts.isBegun(name)) {
      // The end of the attempt could not be recorded.
      running.remove(name, present);
      return Result.after(POLL);
    }
    if (present != null) {
      boolean wanted =
          backup
              .filter(b -> b.metadata().uid().equals(present.backup().metadata().uid()))
              .isPresent();
      return follow(present, wanted, context);
    }
    return backup.isPresent() ? begin(backup.get(), context) : Result.DONE;
  }

  private Result begin(Backup backup, ReconcileContext context) throws StorageException {
    Optional<AttachedVolume> volume = open(backup, context);
    Optional<BackupTarget> target =
        context
            .get(BackupTarget.KIND, backup.spec().backupTargetName())
            .filter(found -> found.status().available());
    Optional<Snapshot> snapshot =
        context
            .get(Snapshot.KIND, backup.status().snapshotName())
            .filter(found -> found.metadata().uid().equals(backup.status().snapshotUID()));
    if (volume.isPresent() && target.isPresent() && snapshot.isPresent()) {
      RunningBackup attempt =
          new RunningBackup(
              targets, backup, target.get(), snapshot.get(), image(backup, context), source);
      running.put(backup.name(), attempt);
      attempts.begin(backup.name(), () -> attempt.run(volume.get()));
      BackupRecords.change(
          context.store(), backup, status -> status.withNodeID(context.nodeName()));
    }
    return Result.after(POLL);
  }

  /** Returns the image below the volume. The backup does not contain its bytes. */
  private static RecordedImage image(Backup backup, ReconcileContext context)
      throws StorageException {
    Optional<Volume> volume = context.store().get(Volume.KIND, backup.spec().volume());
    String name = volume.map(found -> found.spec().backingImage()).orElse("");
    Optional<BackingImage> image =
        name.isEmpty() ? Optional.empty() : context.store().get(BackingImage.KIND, name);
    return image
        .map(BackingImage::status)
        .filter(status -> !status.checksum().isEmpty())
        .map(status -> new RecordedImage(name, status.checksum(), status.contentChecksum()))
        .orElse(RecordedImage.NONE);
  }

  private Optional<AttachedVolume> open(Backup backup, ReconcileContext context) {
    return ActiveEngines.of(backup.spec().volume(), context)
        .flatMap(engine -> volumes.get(engine.name()))
        .filter(volume -> volume.status().phase() == AttachedVolumeStatus.Phase.OPEN);
  }

  private Result follow(RunningBackup attempt, boolean wanted, ReconcileContext context)
      throws StorageException {
    Backup backup = attempt.backup();
    if (!wanted) {
      attempt.cancel();
    }
    try {
      Optional<WrittenBackup> written = attempts.take(backup.name());
      if (written.isEmpty()) {
        int percent = attempt.percent();
        BackupRecords.change(context.store(), backup, status -> status.withProgress(percent));
        return Result.after(POLL);
      }
      new BackupSnapshots(context).replaceFormer(backup);
      BackupRecords.change(
          context.store(), backup, status -> completed(status, backup, written.get(), context));
      context.events().normal(backup, "BackupCompleted", "it was read back from its target");
    } catch (StorageException e) {
      if (attempts.isBegun(backup.name())) {
        throw e;
      }
      failed(attempt, wanted, e, context);
    }
    running.remove(backup.name(), attempt);
    return Result.after(POLL);
  }

  private void failed(
      RunningBackup attempt, boolean wanted, StorageException why, ReconcileContext context)
      throws StorageException {
    Backup backup = attempt.backup();
    boolean moved = open(backup, context).isEmpty() && why.code() != ErrorCode.INVALID;
    if (!wanted || moved) {
      // The backup is deleted, or continues on the node that opens the volume next.
      return;
    }
    Instant now = context.clock().instant();
    running.remove(backup.name(), attempt);
    BackupRecords.change(context.store(), backup, status -> BackupRecords.failed(status, why, now));
    context.events().warning(backup, "BackupFailed", String.valueOf(why.getMessage()));
  }

  private static BackupStatus completed(
      BackupStatus status, Backup backup, WrittenBackup written, ReconcileContext context) {
    return status
        .withState(BackupState.COMPLETED)
        .withProgress(100)
        .withError("")
        .withUrl(address(backup, context))
        .withBackupCreatedAt(Optional.of(Instant.parse(written.summary().createdAt())))
        .withCompletion(BackupRecords.nextCompletion(backup, context))
        .withVolumeSize(new Quantity(written.summary().volumeSizeBytes()))
        .withSize(new Quantity(written.summary().sizeBytes()))
        .withReadDataSize(new Quantity(written.readBytes()))
        .withNewlyUploadedDataSize(new Quantity(written.newBytes()))
        .withReUploadedDataSize(new Quantity(written.repeatedBytes()))
        .withBase(written.base())
        .withBaseReason(written.reason());
  }

  private static String address(Backup backup, ReconcileContext context) {
    return context
        .get(BackupTarget.KIND, backup.spec().backupTargetName())
        .map(target -> TargetAccess.addressOf(target, BackupRecords.nameOf(backup)))
        .orElse("");
  }
}
