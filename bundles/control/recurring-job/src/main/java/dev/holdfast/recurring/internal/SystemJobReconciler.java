package dev.holdfast.recurring.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringJobStatus;
import dev.holdfast.resource.backup.SystemBackup;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.osgi.service.component.annotations.Component;

/**
 * Runs the jobs that make system backups. A run begins when its time and the name of its system
 * backup are in the status. The next step creates the system backup, so that after a crash it is
 * created exactly once.
 */
@Component(service = Reconciler.class)
public final class SystemJobReconciler implements Reconciler<RecurringJob> {
  private static final Duration SOON = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

  @Override
  public String name() {
    return "recurring-system-backup";
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
        new Watched<>(
            SystemBackup.KIND,
            backup ->
                Stream.ofNullable(backup.metadata().labels().get(RecurringJob.LABEL)).toList()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    if (context.get(RecurringJob.KIND, name).filter(SystemJobStep::isFor).isEmpty()) {
      return Result.DONE;
    }
    Optional<RecurringJob> stored =
        context
            .store()
            .get(RecurringJob.KIND, name)
            .filter(job -> !job.isBeingDeleted() && job.validate().isEmpty());
    return stored.isEmpty() ? Result.DONE : step(stored.get(), context);
  }

  private static Result step(RecurringJob job, ReconcileContext context) throws StorageException {
    Instant now = context.clock().instant();
    List<SystemBackup> made =
        context
            .store()
            .list(SystemBackup.KIND, LabelSelector.label(RecurringJob.LABEL, job.name()))
            .items()
            .stream()
            .filter(backup -> !backup.isBeingDeleted())
            .toList();
    SystemJobStep next = SystemJobStep.next(job, made, now);
    for (SystemBackup backup : next.toMake()) {
      create(backup, context);
    }
    for (SystemBackup backup : next.toDelete()) {
      delete(backup, context);
    }
    if (next.status().equals(job.status())) {
      return wake(next.status(), now);
    }
    context.store().updateStatus(job.withStatus(next.status()));
    tell(job, next, context);
    return Result.after(SOON);
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

  private static void create(SystemBackup backup, ReconcileContext context)
      throws StorageException {
    try {
      context.store().create(backup);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.ALREADY_EXISTS) {
        throw e;
      }
    }
  }

  private static void delete(SystemBackup backup, ReconcileContext context)
      throws StorageException {
    try {
      context.store().delete(SystemBackup.KIND, backup.name(), backup.metadata().uid());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
  }

  private static void tell(RecurringJob job, SystemJobStep next, ReconcileContext context) {
    next.missed()
        .ifPresent(
            time ->
                context
                    .events()
                    .warning(job, "RunMissed", "the run of " + time + " could not begin in time"));
    next.status().lastErrors().stream()
        .filter(error -> !job.status().lastErrors().contains(error))
        .forEach(error -> context.events().warning(job, "RunFailed", error));
  }
}
