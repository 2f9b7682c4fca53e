package dev.holdfast.recurring.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupStatus;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringJobSpec;
import dev.holdfast.resource.backup.RecurringJobStatus;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/**
 * A job every two minutes on two nodes that die, pause and lose the store, while both clocks are
 * set back and forth by minutes and by weeks.
 */
final class JobHistory {
  static final int RETAIN = 2;
  static final List<String> VOLUMES = List.of("va", "vb");
  private static final List<String> NODES = List.of("node-1", "node-2");
  private static final List<String> TASKS =
      List.of("backup-force-create", "backup", "snapshot", "snapshot-force-create");
  private static final int[] JUMPS_MINUTES = {20, -20, 50, -50, 150, -150, 30_000, -30_000};

  private final Random random;
  private final Simulation simulation;
  private final JobInvariants invariants;
  private Duration shift = Duration.ZERO;

  JobHistory(long seed, Supplier<JobDecider> decider) throws StorageException {
    random = new Random(seed);
    String task = TASKS.get((int) (seed % TASKS.size()));
    invariants = new JobInvariants(task);
    Simulation.Builder builder = Simulation.builder(seed);
    for (String node : NODES) {
      builder.reconciler(node, () -> new Shifted<>(new RecurringJobReconciler(decider.get())));
    }
    simulation =
        builder
            .invariant("each run made one object for a volume", invariants::madeOnce)
            .invariant("the newest backups are kept", invariants::keepsTheNewest)
            .invariant("a run that succeeded made everything", invariants::successIsWhole)
            .build();
    for (String volume : VOLUMES) {
      simulation
          .store()
          .create(
              Volume.of(
                  volume,
                  VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi")).withNumberOfReplicas(1)));
    }
    RecurringJobSpec spec =
        RecurringJobSpec.EMPTY
            .withTask(task)
            .withCron("*/2 * * * *")
            .withGroups(List.of("default"))
            .withConcurrency(1)
            .withRetain(RETAIN);
    simulation.store().create(RecurringJob.of("often", spec));
  }

  void play() throws StorageException {
    othersWork();
    for (int minute = 1; minute < 10; minute += 1 + random.nextInt(4)) {
      simulation.after(Duration.ofMinutes(minute), store -> jump());
    }
    simulation.run(Duration.ofMinutes(10));
    simulation.calm();
    shift = shift.plus(DueRun.TOLERANCE);
    invariants.clockIsAt(shift);
    Instant calm = simulation.clock().instant().plus(shift);
    simulation.runUntil(
        "a run after the last jump of the clock is whole",
        Duration.ofMinutes(80),
        store -> isWhole(store, calm));
    simulation.runUntil(
        "no more is kept than the job wants", Duration.ofHours(1), invariants::isTidy);
  }

  private void jump() {
    Duration step = Duration.ofMinutes(JUMPS_MINUTES[random.nextInt(JUMPS_MINUTES.length)]);
    shift = shift.plus(step);
    invariants.clockIsAt(shift);
  }

  private static boolean isWhole(ResourceStore store, Instant calm) throws StorageException {
    RecurringJobStatus status = store.get(RecurringJob.KIND, "often").orElseThrow().status();
    return status.lastScheduledAt().filter(time -> time.isAfter(calm)).isPresent()
        && status.lastSucceededAt().equals(status.lastScheduledAt());
  }

  /** Runs a reconciler with a clock that is set back and forth. */
  private final class Shifted<R extends Resource<R>> implements Reconciler<R> {
    private final Reconciler<R> reconciler;

    Shifted(Reconciler<R> reconciler) {
      this.reconciler = reconciler;
    }

    @Override
    public String name() {
      return reconciler.name();
    }

    @Override
    public ResourceKind<R> kind() {
      return reconciler.kind();
    }

    @Override
    public Scope scope() {
      return reconciler.scope();
    }

    @Override
    public List<Watched<?>> watches(ReconcileContext context) {
      return reconciler.watches(context);
    }

    @Override
    public Result reconcile(String name, ReconcileContext context) throws StorageException {
      return reconciler.reconcile(
          name, new ShiftedContext(context, Clock.offset(context.clock(), shift)));
    }
  }

  /** Does random work of other controllers, and schedules itself again. */
  private void othersWork() {
    simulation.after(
        Duration.ofSeconds(1 + random.nextInt(8)),
        store -> {
          othersWork();
          Instant now = simulation.clock().instant().plus(shift);
          for (Snapshot snapshot : JobInvariants.snapshots(store)) {
            answer(snapshot, now, store);
          }
          for (Backup backup : JobInvariants.backups(store)) {
            if (!backup.isFinal() && random.nextInt(3) == 0) {
              store.updateStatus(attempted(backup, now));
            }
          }
        });
  }

  /** Takes snapshots, and reports for half of them that the volume did not change. */
  private void answer(Snapshot snapshot, Instant now, ResourceStore store) throws StorageException {
    Snapshot done = Answers.of(snapshot, now, random.nextBoolean());
    if (!done.status().equals(snapshot.status()) && random.nextInt(3) == 0) {
      store.updateStatus(done);
    }
  }

  /** Completes most backups; some only after failures, and some never. */
  private Backup attempted(Backup backup, Instant now) {
    BackupStatus status =
        switch (random.nextInt(6)) {
          case 0 -> backup.status().withState(BackupState.IN_PROGRESS);
          case 1 ->
              backup
                  .status()
                  .withState(BackupState.ERROR)
                  .withError("it failed")
                  .withNextAttemptAt(random.nextInt(3) == 0 ? Optional.empty() : Optional.of(now));
          default ->
              backup
                  .status()
                  .withState(BackupState.COMPLETED)
                  .withError("")
                  .withNextAttemptAt(Optional.empty())
                  .withBackupCreatedAt(Optional.of(now));
        };
    return backup.withStatus(status);
  }
}
