package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupVerification;
import dev.holdfast.backupstore.DamagedBlock;
import dev.holdfast.backupstore.VerifiedBackup;
import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.VerificationStatus;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Verifies backups at their targets on request: reads each block and compares it with its checksum.
 * An unreachable target delays a verification, and is not a damaged block.
 */
@Component(service = Reconciler.class)
public final class BackupVerifyReconciler implements Reconciler<Backup> {
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration RETRY = Duration.ofMinutes(1);
  private static final int THREADS = 2;
  private static final int MOST_AT_A_TIME = 2;
  private static final int MOST_SHOWN = 10;

  private final InstalledTargets targets;
  private final BackgroundWork<VerifiedBackup> verifications;

  /** Verifications whose results were not taken yet, by the names of the backups. */
  private final Map<String, String> begun = new ConcurrentHashMap<>();

  private final Pauses pauses = new Pauses(RETRY);

  /** Creates the reconciler of a running bundle. */
  @Activate
  public BackupVerifyReconciler(
      @Reference InstalledTargets targets, @Reference AttachedVolumes volumes) {
    this(targets, volumes.executor());
  }

  BackupVerifyReconciler(InstalledTargets targets, Executor threads) {
    this.targets = targets;
    this.verifications = new BackgroundWork<>(threads);
  }

  @Override
  public String name() {
    return "backup-verify";
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
  public List<Watched<?>> watches() {
    return List.of(new Watched<>(BackupTarget.KIND, target -> List.of()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Backup> wanted = context.get(Backup.KIND, name).filter(Backup::awaitsVerification);
    String work = wanted.map(BackupVerifyReconciler::workOf).orElse("");
    String present = begun.getOrDefault(name, work);
    if (!present.equals(work)) {
      discard(name, present);
      return Result.after(POLL);
    }
    if (wanted.isEmpty()) {
      return Result.DONE;
    }
    Backup backup = wanted.get();
    if (verifications.isBegun(work)) {
      return follow(work, backup, context);
    }
    Optional<BackupTarget> target =
        context.get(BackupTarget.KIND, backup.spec().backupTargetName());
    Optional<Duration> pause = pauses.left(work, context.clock().instant());
    if (pause.isPresent() || target.isEmpty()) {
      return Result.after(pause.orElse(RETRY));
    }
    if (begun.size() < MOST_AT_A_TIME) {
      begun.put(name, work);
      verifications.begin(work, () -> verify(backup, target.get()));
    }
    return Result.after(POLL);
  }

  private static String workOf(Backup backup) {
    return backup.metadata().uid() + " " + backup.spec().verifyRequest();
  }

  /** Discards the result of a cancelled verification as soon as it has ended. */
  private void discard(String name, String work) {
    try {
      if (verifications.take(work).isPresent() || !verifications.isBegun(work)) {
        begun.remove(name);
      }
    } catch (StorageException e) {
      begun.remove(name);
    }
  }

  private VerifiedBackup verify(Backup backup, BackupTarget target) throws StorageException {
    try (ObjectStore store = targets.open(TargetAccess.of(target))) {
      return new BackupVerification(store, THREADS)
          .verify(new LaidOutBackups(store).backup(BackupRecords.nameOf(backup)));
    }
  }

  private Result follow(String work, Backup backup, ReconcileContext context)
      throws StorageException {
    try {
      Optional<VerifiedBackup> verified = verifications.take(work);
      if (verified.isEmpty()) {
        return Result.after(POLL);
      }
      begun.remove(backup.name());
      pauses.end(work);
      complete(backup, verified.get(), context);
      return Result.DONE;
    } catch (StorageException e) {
      if (verifications.isBegun(work)) {
        throw e;
      }
      begun.remove(backup.name());
      pauses.begin(work, context.clock().instant());
      record(
          backup,
          backup.status().verification().withError(String.valueOf(e.getMessage())),
          context);
      return Result.after(RETRY);
    }
  }

  private static void complete(Backup backup, VerifiedBackup verified, ReconcileContext context)
      throws StorageException {
    List<String> damaged =
        verified.damaged().stream().limit(MOST_SHOWN).map(DamagedBlock::toString).toList();
    record(
        backup,
        VerificationStatus.EMPTY
            .withRequest(backup.spec().verifyRequest())
            .withVerifiedAt(Optional.of(context.clock().instant().truncatedTo(ChronoUnit.SECONDS)))
            .withBlocks(verified.checked())
            .withDamagedBlocks(verified.damaged().size())
            .withDamaged(damaged),
        context);
    if (!damaged.isEmpty()) {
      context
          .events()
          .warning(
              backup,
              "BackupDamaged",
              verified.damaged().size() + " blocks are damaged at the target: " + damaged.get(0));
    }
  }

  private static void record(Backup backup, VerificationStatus result, ReconcileContext context)
      throws StorageException {
    BackupRecords.change(
        context.store(), backup, BackupState.COMPLETED, status -> status.withVerification(result));
  }
}
