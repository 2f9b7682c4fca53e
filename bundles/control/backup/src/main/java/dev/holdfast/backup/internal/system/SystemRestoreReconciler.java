package dev.holdfast.backup.internal.system;

import dev.holdfast.backup.internal.AttemptPauses;
import dev.holdfast.backup.internal.BackgroundWork;
import dev.holdfast.backup.internal.InstalledTargets;
import dev.holdfast.backup.internal.Pauses;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.SystemRestore;
import dev.holdfast.resource.backup.SystemRestoreState;
import dev.holdfast.resource.backup.SystemRestoreStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.WorkloadObjects;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Restores system backups. It runs on each node, because only some nodes may write all kinds. A
 * node without the right leaves the work to other nodes. Several nodes may restore at the same
 * time, because each item is created once.
 */
@Component(service = Reconciler.class)
public final class SystemRestoreReconciler implements Reconciler<SystemRestore> {
  private static final Duration SOON = Duration.ofMillis(500);
  private static final Duration REFUSED = Duration.ofMinutes(5);
  private static final Duration VOLUMES = Duration.ofSeconds(30);

  private final InstalledTargets targets;
  private final BackgroundWork<SystemRestoreRun.Outcome> runs;
  private final WorkloadObjects objects;
  private final ItemRestore.Factory restorer;
  private final Pauses refused = new Pauses(REFUSED);

  /**
   * Creates the reconciler of a running bundle.
   *
   * @param store store, which may also provide objects of an orchestrator
   */
  @Activate
  public SystemRestoreReconciler(
      @Reference InstalledTargets targets,
      @Reference AttachedVolumes volumes,
      @Reference ResourceStore store) {
    this(targets, volumes.executor(), WorkloadItems.of(store), ItemRestore::new);
  }

  SystemRestoreReconciler(
      InstalledTargets targets,
      Executor threads,
      WorkloadObjects objects,
      ItemRestore.Factory restorer) {
    this.targets = targets;
    this.objects = objects;
    this.restorer = restorer;
    this.runs = new BackgroundWork<>(threads);
  }

  @Override
  public String name() {
    return "system-restore";
  }

  @Override
  public ResourceKind<SystemRestore> kind() {
    return SystemRestore.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    return List.of(
        new Watched<>(
            Volume.KIND,
            volume ->
                Stream.ofNullable(volume.metadata().annotations().get(SystemRestore.ANNOTATION))
                    .flatMap(
                        uid ->
                            context.list(SystemRestore.KIND, LabelSelector.ALL).stream()
                                .filter(restore -> restore.metadata().uid().equals(uid)))
                    .map(SystemRestore::name)
                    .toList()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    if (context.get(SystemRestore.KIND, name).filter(found -> !found.isFinal()).isEmpty()) {
      return Result.DONE;
    }
    Optional<SystemRestore> stored =
        context
            .store()
            .get(SystemRestore.KIND, name)
            .filter(found -> !found.isBeingDeleted() && !found.isFinal());
    if (stored.isEmpty()) {
      return Result.DONE;
    }
    SystemRestore restore = stored.get();
    Instant now = context.clock().instant();
    if (restore.status().itemsRestoredAt().isPresent()) {
      return follow(restore, context);
    }
    Optional<Duration> pause =
        AttemptPauses.left(restore.status().nextAttemptAt(), now)
            .or(() -> refused.left(restore.metadata().uid(), now));
    return pause.isPresent() ? Result.after(pause.get()) : run(restore, context);
  }

  private Result run(SystemRestore restore, ReconcileContext context) throws StorageException {
    SystemRestoreStatus status = restore.status();
    if (status.state() == SystemRestoreState.NONE) {
      return write(restore, status.withState(SystemRestoreState.IN_PROGRESS), context);
    }
    String work = restore.metadata().uid();
    if (!runs.isBegun(work)) {
      RestoringCluster cluster = new RestoringCluster(context.store(), context.kinds(), objects);
      runs.begin(work, () -> new SystemRestoreRun(restore, cluster, restorer).run(targets));
    }
    try {
      Optional<SystemRestoreRun.Outcome> outcome = runs.take(work);
      if (outcome.isEmpty()) {
        return Result.after(SOON);
      }
      return outcome.get().refused()
          ? leave(restore, outcome.get(), context)
          : write(restore, done(status, outcome.get(), context), context);
    } catch (StorageException e) {
      return runs.isBegun(work) || e.code() == ErrorCode.CONFLICT
          ? Result.after(SOON)
          : fail(restore, e, context);
    }
  }

  /** Leaves the restore to a node that may write all kinds. */
  private Result leave(
      SystemRestore restore, SystemRestoreRun.Outcome outcome, ReconcileContext context) {
    refused.begin(restore.metadata().uid(), context.clock().instant());
    context.events().normal(restore, "SystemRestoreLeft", outcome.failures().get(0));
    return Result.after(REFUSED);
  }

  private static SystemRestoreStatus done(
      SystemRestoreStatus status, SystemRestoreRun.Outcome outcome, ReconcileContext context) {
    return status
        .withState(SystemRestoreState.IN_PROGRESS)
        .withKinds(outcome.kinds())
        .withFailures(outcome.failures())
        .withItemsRestoredAt(Optional.of(context.clock().instant()))
        .withNextAttemptAt(Optional.empty())
        .withError("");
  }

  /** Waits until the volumes have their content. */
  private static Result follow(SystemRestore restore, ReconcileContext context)
      throws StorageException {
    String uid = restore.metadata().uid();
    int pending =
        (int)
            context.store().list(Volume.KIND, LabelSelector.ALL).items().stream()
                .filter(
                    volume ->
                        uid.equals(volume.metadata().annotations().get(SystemRestore.ANNOTATION)))
                .filter(volume -> volume.awaitsContent() && !volume.isBeingDeleted())
                .count();
    SystemRestoreStatus next = restore.status().withPendingVolumes(pending);
    if (pending == 0) {
      next =
          next.withState(SystemRestoreState.COMPLETED)
              .withCompletedAt(Optional.of(context.clock().instant()));
    }
    if (!next.equals(restore.status())) {
      write(restore, next, context);
    }
    return pending == 0 ? Result.DONE : Result.after(VOLUMES);
  }

  private static Result fail(SystemRestore restore, StorageException why, ReconcileContext context)
      throws StorageException {
    int attempts = restore.status().attempts() + 1;
    Instant now = context.clock().instant();
    String message = String.valueOf(why.getMessage());
    context.events().warning(restore, "SystemRestoreFailed", message);
    return write(
        restore,
        restore
            .status()
            .withState(SystemRestoreState.ERROR)
            .withAttempts(attempts)
            .withNextAttemptAt(
                Lasting.is(why) ? Optional.empty() : Optional.of(AttemptPauses.next(attempts, now)))
            .withError(message),
        context);
  }

  private static Result write(
      SystemRestore restore, SystemRestoreStatus next, ReconcileContext context)
      throws StorageException {
    context.store().updateStatus(restore.withStatus(next));
    return Result.after(SOON);
  }
}
