package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupSummary;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import dev.holdfast.resource.backup.BackupVolume;
import dev.holdfast.resource.backup.BackupVolumeStatus;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Scans the volumes of targets after each scan of the target, and on request. Creates a resource
 * for each backup of another cluster, and removes it when the target no longer has the backup. A
 * failed scan changes only the condition that reports the failure.
 */
@Component(service = Reconciler.class)
public final class BackupVolumeReconciler implements Reconciler<BackupVolume> {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration RETRY = Duration.ofSeconds(30);
  private static final int MOST_PROBLEMS = 5;

  private final InstalledTargets targets;
  private final BackgroundWork<ScannedVolume> scans;
  private final BackupVolumeDeletion deletion;
  private final VolumeScanner scanner;
  private final Pauses pauses = new Pauses(RETRY);

  /** Creates the reconciler of a running bundle. */
  @Activate
  public BackupVolumeReconciler(
      @Reference InstalledTargets targets, @Reference AttachedVolumes volumes) {
    this(targets, volumes.executor(), new VolumeScanner());
  }

  BackupVolumeReconciler(InstalledTargets targets, Executor threads, VolumeScanner scanner) {
    this.targets = targets;
    this.scanner = scanner;
    this.scans = new BackgroundWork<>(threads);
    this.deletion = new BackupVolumeDeletion(targets, threads);
  }

  @Override
  public String name() {
    return "backup-volume";
  }

  @Override
  public ResourceKind<BackupVolume> kind() {
    return BackupVolume.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    return List.of(
        new Watched<>(
            BackupTarget.KIND,
            target ->
                context.list(BackupVolume.KIND, LabelSelector.ALL).stream()
                    .filter(volume -> volume.spec().backupTargetName().equals(target.name()))
                    .map(BackupVolume::name)
                    .toList()),
        new Watched<>(
            Backup.KIND,
            backup ->
                List.of(
                    BackupVolume.nameFor(
                        backup.spec().backupTargetName(), backup.spec().volume()))));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<BackupVolume> cached = context.get(BackupVolume.KIND, name);
    if (cached.isEmpty()) {
      scanner.forget(name);
      return Result.DONE;
    }
    BackupVolume volume = cached.get();
    if (volume.isBeingDeleted()) {
      return deletion.advance(volume, context) ? Result.DONE : Result.after(POLL);
    }
    Optional<BackupTarget> target =
        context.get(BackupTarget.KIND, volume.spec().backupTargetName());
    if (target.isEmpty()) {
      return withoutTarget(volume, context);
    }
    TargetAccess access = TargetAccess.of(target.get());
    String work = volume.metadata().uid() + " " + access;
    if (scans.isBegun(work)) {
      return follow(work, volume, target.get(), context);
    }
    if (!isDue(volume, target.get())) {
      return Result.DONE;
    }
    Optional<Duration> pause = pauses.left(pauseOf(volume), context.clock().instant());
    if (pause.isPresent()) {
      return Result.after(pause.get());
    }
    begin(work, volume, target.get(), access, context);
    return Result.after(POLL);
  }

  private static boolean isDue(BackupVolume volume, BackupTarget target) {
    BackupVolumeStatus status = volume.status();
    return status.lastSyncedAt().isEmpty()
        || status.syncedScan() != target.status().scans()
        || !status.synced().equals(volume.spec().syncRequest());
  }

  /**
   * Returns the key of the pause. A new request has a new key, so that it is served at once, also
   * after a failure.
   */
  private static String pauseOf(BackupVolume volume) {
    return volume.name() + " " + volume.spec().syncRequest();
  }

  /** Removes the cache entries of a removed target. The content of the target stays. */
  private static Result withoutTarget(BackupVolume volume, ReconcileContext context)
      throws StorageException {
    String name = volume.spec().backupTargetName();
    if (context.store().get(BackupTarget.KIND, name).isPresent()) {
      return Result.after(POLL);
    }
    new DiscoveredBackups(BackupTarget.of(name, BackupTargetSpec.EMPTY), volume, context).forget();
    delete(volume, context);
    return Result.DONE;
  }

  private void begin(
      String work,
      BackupVolume volume,
      BackupTarget target,
      TargetAccess access,
      ReconcileContext context)
      throws StorageException {
    List<Backup> stored = new DiscoveredBackups(target, volume, context).stored();
    Set<String> known = DiscoveredBackups.names(stored);
    Map<String, Optional<Instant>> expected = new TreeMap<>();
    stored.stream()
        .filter(backup -> backup.status().state() == BackupState.COMPLETED)
        .forEach(backup -> expected.put(backup.nameAtTarget(), backup.status().backupCreatedAt()));
    ScannedVolume.Order order =
        new ScannedVolume.Order(volume, target.status().scans(), known, expected);
    scans.begin(
        work,
        () -> {
          try (ObjectStore store = targets.open(access)) {
            return scanner.scan(store, order);
          }
        });
  }

  private Result follow(
      String work, BackupVolume volume, BackupTarget target, ReconcileContext context)
      throws StorageException {
    Optional<ScannedVolume> scan;
    try {
      scan = scans.take(work);
    } catch (StorageException e) {
      String why = "backup target " + target.name() + ": " + e.getMessage();
      pauses.begin(pauseOf(volume), context.clock().instant());
      record(volume, volume.status(), why, context);
      return Result.after(RETRY);
    }
    if (scan.isEmpty()) {
      return Result.after(POLL);
    }
    pauses.end(pauseOf(volume));
    DiscoveredBackups backups = new DiscoveredBackups(target, volume, context);
    backups.apply(scan.get());
    boolean complete =
        backups.stored().stream()
            .anyMatch(backup -> backup.status().state() == BackupState.COMPLETED);
    if (!scan.get().present() && !complete) {
      delete(volume, context);
      return Result.DONE;
    }
    record(volume, scanned(volume, scan.get(), context), problems(scan.get()), context);
    return Result.DONE;
  }

  private static String problems(ScannedVolume scan) {
    List<String> shown = scan.problems().stream().limit(MOST_PROBLEMS).toList();
    int more = scan.problems().size() - shown.size();
    return String.join("; ", shown) + (more > 0 ? "; and " + more + " more" : "");
  }

  private static BackupVolumeStatus scanned(
      BackupVolume volume, ScannedVolume scan, ReconcileContext context) {
    BackupVolumeStatus status =
        volume
            .status()
            .withBackups(scan.backups().size())
            .withLastSyncedAt(
                Optional.of(context.clock().instant().truncatedTo(ChronoUnit.SECONDS)))
            .withSyncedScan(scan.order().scan())
            .withSynced(scan.order().volume().spec().syncRequest());
    return scan.volume()
        .map(
            found ->
                status
                    .withSize(new Quantity(found.sizeBytes()))
                    .withCreatedAt(BackupSummary.time(found.createdAt()))
                    .withLastBackupName(found.lastBackup())
                    .withLastBackupAt(
                        scan.backups().stream()
                            .filter(backup -> backup.name().backup().equals(found.lastBackup()))
                            .findFirst()
                            .flatMap(BackupSummary::snapshotTime))
                    .withBackingImageName(found.backingImage())
                    .withBackingImageChecksum(found.backingImageChecksum())
                    .withDataEngine(found.dataEngine()))
        .orElse(status);
  }

  private static void record(
      BackupVolume volume, BackupVolumeStatus next, String problem, ReconcileContext context)
      throws StorageException {
    boolean failed = !problem.isEmpty();
    BackupVolumeStatus status =
        next.withConditions(
            Condition.with(
                next.conditions(),
                BackupTarget.SYNCED_CONDITION,
                failed ? Condition.Status.FALSE : Condition.Status.TRUE,
                failed ? "ScanFailed" : "Complete",
                problem,
                context.clock().instant()));
    if (!status.equals(volume.status())) {
      context.store().updateStatus(volume.withStatus(status));
    }
  }

  private static void delete(BackupVolume volume, ReconcileContext context)
      throws StorageException {
    try {
      context.store().delete(BackupVolume.KIND, volume.name(), volume.metadata().uid());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
  }
}
