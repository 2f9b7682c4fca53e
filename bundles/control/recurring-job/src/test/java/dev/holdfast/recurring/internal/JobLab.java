package dev.holdfast.recurring.internal;

import dev.holdfast.controller.testkit.StoreContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupStatus;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringJobSpec;
import dev.holdfast.resource.backup.VerificationStatus;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.share.ShareManager;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Volumes, one job and the work of the other controllers, step by step. */
final class JobLab implements AutoCloseable {
  static final String JOB = "nightly";
  static final RecurringJobSpec SPEC =
      RecurringJobSpec.EMPTY
          .withTask("backup-force-create")
          .withCron("0 3 * * *")
          .withGroups(List.of("default"))
          .withRetain(2);

  final SetClock clock = new SetClock("2026-11-20T12:00:00Z");
  final MemoryResourceStore store = new MemoryResourceStore(clock, 1000);
  final List<String> events = new ArrayList<>();
  final Set<String> changed = new HashSet<>();
  private RecurringJobReconciler reconciler = new RecurringJobReconciler();

  void job(UnaryOperator<RecurringJobSpec> change) throws StorageException {
    store.create(RecurringJob.of(JOB, change.apply(SPEC)));
  }

  void change(UnaryOperator<RecurringJobSpec> change) throws StorageException {
    RecurringJob job = job();
    store.update(job.withSpec(change.apply(job.spec())));
  }

  RecurringJob job() throws StorageException {
    return store.get(RecurringJob.KIND, JOB).orElseThrow();
  }

  void volume(String name, Map<String, String> labels) throws StorageException {
    Volume volume =
        Volume.of(name, VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi")).withNumberOfReplicas(1));
    store.create(volume.withMetadata(volume.metadata().withLabels(labels)));
    changed.add(name);
  }

  /** Runs the controller until it makes no further write. */
  void settle() throws StorageException {
    settle(store);
  }

  void settle(ResourceStore through) throws StorageException {
    StoreContext seen = new StoreContext(through, clock, "node-1");
    for (int step = 0; step < 50; step++) {
      String before = version();
      reconciler.reconcile(JOB, seen);
      seen.takeReported().forEach(event -> events.add(event.reason() + ": " + event.message()));
      if (before.equals(version())) {
        return;
      }
    }
    throw new AssertionError("the controller does not settle: " + job());
  }

  void restart() {
    reconciler = new RecurringJobReconciler();
  }

  private String version() throws StorageException {
    return store.list(RecurringJob.KIND, LabelSelector.ALL).resourceVersion()
        + store.list(Backup.KIND, LabelSelector.ALL).resourceVersion()
        + store.list(Snapshot.KIND, LabelSelector.ALL).resourceVersion()
        + store.list(Volume.KIND, LabelSelector.ALL).resourceVersion()
        + store.list(ShareManager.KIND, LabelSelector.ALL).resourceVersion();
  }

  List<Backup> backups() throws StorageException {
    return store.list(Backup.KIND, LabelSelector.ALL).items();
  }

  List<Snapshot> snapshots() throws StorageException {
    return store.list(Snapshot.KIND, LabelSelector.ALL).items();
  }

  /** Acts as the nodes: takes snapshots, answers requests, completes backups. */
  void nodesWork() throws StorageException {
    for (Snapshot snapshot : snapshots()) {
      Snapshot done = answered(snapshot);
      if (!done.status().equals(snapshot.status())) {
        store.updateStatus(done);
      }
    }
    for (Backup backup : backups()) {
      if (backup.status().state() != BackupState.COMPLETED) {
        complete(backup);
      } else if (backup.awaitsVerification()) {
        verify(backup);
      }
    }
  }

  /** Verifies a backup; those whose names end with damaged have a damaged block. */
  private void verify(Backup backup) throws StorageException {
    VerificationStatus result =
        VerificationStatus.EMPTY
            .withRequest(backup.spec().verifyRequest())
            .withBlocks(4)
            .withDamagedBlocks(backup.name().endsWith("damaged") ? 1 : 0);
    store.updateStatus(backup.withStatus(backup.status().withVerification(result)));
  }

  /** Creates a complete backup without a job, with a time in seconds. */
  void backup(String name, String volume, long second) throws StorageException {
    Backup backup = store.create(Backup.of(name, BackupSpec.EMPTY.withVolume(volume)));
    store.updateStatus(
        backup.withStatus(
            backup
                .status()
                .withState(BackupState.COMPLETED)
                .withBackupCreatedAt(Optional.of(Instant.ofEpochSecond(second)))));
  }

  private Snapshot answered(Snapshot snapshot) {
    boolean asked = snapshot.isAskedForChanges();
    boolean wrote = asked && changed.remove(snapshot.spec().volume());
    return Answers.of(snapshot, clock.instant(), wrote);
  }

  private void complete(Backup backup) throws StorageException {
    String name = Snapshot.nameFor(backup.spec().volume(), backup.name());
    Optional<Snapshot> present = store.get(Snapshot.KIND, name);
    if (present.isEmpty()) {
      Snapshot made =
          Snapshot.of(
              name,
              SnapshotSpec.EMPTY
                  .withVolume(backup.spec().volume())
                  .withSnapshotName(backup.name()));
      present =
          Optional.of(
              store.create(
                  made.withMetadata(
                      made.metadata().withLabels(Map.of(Backup.SNAPSHOT_LABEL, backup.name())))));
      changed.remove(backup.spec().volume());
    }
    Snapshot snapshot = Answers.of(present.get(), clock.instant(), false);
    store.updateStatus(snapshot);
    BackupStatus status =
        backup
            .status()
            .withState(BackupState.COMPLETED)
            .withError("")
            .withNextAttemptAt(Optional.empty())
            .withSnapshotName(snapshot.name())
            .withSnapshotUID(snapshot.metadata().uid())
            .withBackupCreatedAt(Optional.of(clock.instant()));
    store.updateStatus(backup.withStatus(status));
  }

  /** Fails the attempts of all unfinished backups. */
  void backupsFail(boolean permanently) throws StorageException {
    for (Backup backup : backups()) {
      if (backup.status().state() != BackupState.COMPLETED) {
        store.updateStatus(
            backup.withStatus(
                backup
                    .status()
                    .withState(BackupState.ERROR)
                    .withError(ErrorCode.UNREACHABLE + ": the target does not answer")
                    .withNextAttemptAt(
                        permanently ? Optional.empty() : Optional.of(clock.instant()))));
      }
    }
  }

  /** Runs the job once: advances the time, and acts as the nodes. */
  void night(String time) throws StorageException {
    clock.set(time);
    for (int step = 0; step < 6; step++) {
      settle();
      nodesWork();
    }
    settle();
  }

  @Override
  public void close() {
    store.close();
  }
}
