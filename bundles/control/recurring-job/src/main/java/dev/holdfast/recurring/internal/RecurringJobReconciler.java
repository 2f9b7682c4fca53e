package dev.holdfast.recurring.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringJobStatus;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareManager;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Runs recurring jobs at their times. It creates Snapshot and Backup resources and moves no data.
 *
 * <p>The caches show whether there is work. The decision about writes is made again from the stored
 * resources.
 */
@Component(service = Reconciler.class)
public final class RecurringJobReconciler implements Reconciler<RecurringJob> {
  /** Longest time until the reconciler detects a clock that was set forward. */
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

  private final JobDecider decider;

  /** Creates the reconciler of a running bundle. */
  @Activate
  public RecurringJobReconciler() {
    this(new JobDecider());
  }

  RecurringJobReconciler(JobDecider decider) {
    this.decider = decider;
  }

  @Override
  public String name() {
    return "recurring-job";
  }

  @Override
  public ResourceKind<RecurringJob> kind() {
    return RecurringJob.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(
        new Watched<>(Volume.KIND, volume -> asking(volume.spec().trimRequest())),
        new Watched<>(ShareManager.KIND, share -> asking(share.spec().trimRequest())),
        new Watched<>(Backup.KIND, RecurringJobReconciler::jobsOf),
        new Watched<>(Snapshot.KIND, RecurringJobReconciler::jobs));
  }

  /** Returns the jobs that made a backup or requested its verification. */
  private static List<String> jobsOf(Backup backup) {
    return Stream.concat(jobs(backup).stream(), asking(backup.spec().verifyRequest()).stream())
        .distinct()
        .toList();
  }

  private static List<String> asking(String request) {
    return RunNames.jobOf(request).stream().toList();
  }

  private static List<String> jobs(Resource<?> made) {
    return Stream.of(RecurringJob.LABEL, RecurringJob.CHECK_LABEL)
        .map(made.metadata().labels()::get)
        .flatMap(Stream::ofNullable)
        .distinct()
        .toList();
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    ResourceStore store = context.store();
    Optional<RecurringJob> job = store.get(RecurringJob.KIND, name);
    if (job.isEmpty()) {
      deleteChecks(name, context);
      return Result.DONE;
    }
    if (job.get().isBeingDeleted()
        || !job.get().validate().isEmpty()
        || SystemJobStep.isFor(job.get())) {
      return Result.DONE;
    }
    Instant now = context.clock().instant();
    JobPlan plan = decider.next(cached(job.get(), now, context));
    if (!plan.changes(job.get().status())) {
      return wake(plan.status(), now);
    }
    plan = decider.next(stored(job.get(), now, store));
    write(job.get(), plan, context);
    return wake(plan.status(), now);
  }

  private static JobView cached(RecurringJob job, Instant now, ReconcileContext context) {
    return new JobView(
        job,
        now,
        context.list(Volume.KIND, LabelSelector.ALL),
        context.list(Backup.KIND, LabelSelector.ALL),
        context.list(Snapshot.KIND, LabelSelector.ALL),
        context.list(ShareManager.KIND, LabelSelector.ALL));
  }

  private static JobView stored(RecurringJob job, Instant now, ResourceStore store)
      throws StorageException {
    return new JobView(
        job,
        now,
        store.list(Volume.KIND, LabelSelector.ALL).items(),
        store.list(Backup.KIND, LabelSelector.ALL).items(),
        store.list(Snapshot.KIND, LabelSelector.ALL).items(),
        store.list(ShareManager.KIND, LabelSelector.ALL).items());
  }

  private static Result wake(RecurringJobStatus status, Instant now) {
    Duration pause =
        status
            .nextScheduledAt()
            .map(next -> Duration.between(now, next))
            .filter(left -> left.compareTo(LONGEST_PAUSE) < 0)
            .orElse(LONGEST_PAUSE);
    return Result.after(pause.isNegative() ? Duration.ZERO : pause);
  }

  private static void write(RecurringJob job, JobPlan plan, ReconcileContext context)
      throws StorageException {
    ResourceStore store = context.store();
    for (Snapshot snapshot : plan.newSnapshots()) {
      create(snapshot, store);
    }
    for (Backup backup : plan.newBackups()) {
      create(backup, store);
    }
    for (Snapshot snapshot : plan.changedSnapshots()) {
      store.update(snapshot);
    }
    for (Backup backup : plan.changedBackups()) {
      store.update(backup);
    }
    for (Volume volume : plan.changedVolumes()) {
      store.update(volume);
    }
    for (ShareManager share : plan.changedShares()) {
      store.update(share);
    }
    for (Backup backup : plan.oldBackups()) {
      delete(Backup.KIND, backup, store);
    }
    for (Snapshot snapshot : plan.oldSnapshots()) {
      delete(Snapshot.KIND, snapshot, store);
    }
    if (!plan.status().equals(job.status())) {
      store.updateStatus(job.withStatus(plan.status()));
      tell(job, plan, context);
    }
  }

  private static void tell(RecurringJob job, JobPlan plan, ReconcileContext context) {
    plan.missed()
        .ifPresent(
            time ->
                context
                    .events()
                    .warning(job, "RunMissed", "the run of " + time + " could not begin in time"));
    plan.status().lastErrors().stream()
        .filter(error -> !job.status().lastErrors().contains(error))
        .forEach(error -> context.events().warning(job, "RunFailed", error));
  }

  private static <R extends Resource<R>> void create(R made, ResourceStore store)
      throws StorageException {
    try {
      store.create(made);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.ALREADY_EXISTS) {
        throw e;
      }
    }
  }

  private static <R extends Resource<R>> void delete(
      ResourceKind<R> kind, R old, ResourceStore store) throws StorageException {
    try {
      store.delete(kind, old.name(), old.metadata().uid());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
  }

  /**
   * Deletes snapshots whose changes a removed job wanted to check, because they are useless without
   * it.
   */
  private static void deleteChecks(String job, ReconcileContext context) throws StorageException {
    for (Snapshot snapshot :
        context.list(Snapshot.KIND, LabelSelector.label(RecurringJob.CHECK_LABEL, job))) {
      if (!snapshot.isBeingDeleted()) {
        delete(Snapshot.KIND, snapshot, context.store());
      }
    }
  }
}
