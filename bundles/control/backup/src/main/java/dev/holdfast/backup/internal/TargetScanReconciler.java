package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetStatus;
import dev.holdfast.resource.backup.BackupVolume;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Scans targets for volumes, by their poll interval and on request, and creates a BackupVolume for
 * each. {@link BackupVolumeReconciler} then scans the volumes, and removes those that the target no
 * longer has.
 */
@Component(service = Reconciler.class)
public final class TargetScanReconciler implements Reconciler<BackupTarget> {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration RETRY = Duration.ofSeconds(30);
  private static final int MOST_SHOWN = 5;

  private final InstalledTargets targets;
  private final BackgroundWork<Scan> scans;
  private final Pauses pauses = new Pauses(RETRY);

  /**
   * A complete scan.
   *
   * @param volumes names of the volumes that the target has
   * @param known names of those that the store had when the scan began
   * @param request that the scan serves
   */
  private record Scan(List<String> volumes, Set<String> known, String request) {}

  /** Creates the reconciler of a running bundle. */
  @Activate
  public TargetScanReconciler(
      @Reference InstalledTargets targets, @Reference AttachedVolumes volumes) {
    this(targets, volumes.executor());
  }

  TargetScanReconciler(InstalledTargets targets, Executor threads) {
    this.targets = targets;
    this.scans = new BackgroundWork<>(threads);
  }

  @Override
  public String name() {
    return "backup-target-scan";
  }

  @Override
  public ResourceKind<BackupTarget> kind() {
    return BackupTarget.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(new Watched<>(BackupVolume.KIND, volume -> List.of()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<BackupTarget> found =
        context.get(BackupTarget.KIND, name).filter(target -> !target.isBeingDeleted());
    if (found.isEmpty()) {
      return Result.DONE;
    }
    BackupTarget target = found.get();
    TargetAccess access = TargetAccess.of(target);
    String work = target.metadata().uid() + " " + access;
    if (scans.isBegun(work)) {
      return follow(work, target, context);
    }
    Instant now = context.clock().instant();
    Optional<Duration> wait = untilDue(target, now);
    if (wait.isEmpty() || !wait.get().isZero()) {
      return wait.map(Result::after).orElse(Result.DONE);
    }
    Optional<Duration> pause = pauses.left(pauseOf(target), now);
    if (pause.isPresent()) {
      return Result.after(pause.get());
    }
    Set<String> known = known(target, context);
    String request = target.spec().syncRequest();
    scans.begin(work, () -> scan(access, known, request));
    return Result.after(POLL);
  }

  /** Returns the time until the next scan is due; empty if a scan needs a request. */
  private static Optional<Duration> untilDue(BackupTarget target, Instant now) {
    if (!target.spec().syncRequest().equals(target.status().synced())) {
      return Optional.of(Duration.ZERO);
    }
    Duration interval = Duration.ofSeconds(target.spec().pollInterval());
    if (interval.isZero()) {
      return Optional.empty();
    }
    Duration left =
        target
            .status()
            .lastSyncedAt()
            .map(last -> Duration.between(now, last.plus(interval)))
            .orElse(Duration.ZERO);
    // More than the interval remains if the clock was set back.
    boolean due = left.isNegative() || left.compareTo(interval) > 0;
    return Optional.of(due ? Duration.ZERO : left);
  }

  /**
   * Returns the key of the pause. A new request has a new key, so that it is served at once, also
   * after a failure.
   */
  private static String pauseOf(BackupTarget target) {
    return target.name() + " " + target.spec().syncRequest();
  }

  private static Set<String> known(BackupTarget target, ReconcileContext context)
      throws StorageException {
    return context.store().list(BackupVolume.KIND, LabelSelector.ALL).items().stream()
        .filter(volume -> volume.spec().backupTargetName().equals(target.name()))
        .map(volume -> volume.spec().volumeName())
        .collect(Collectors.toSet());
  }

  private Scan scan(TargetAccess access, Set<String> known, String request)
      throws StorageException {
    try (ObjectStore store = targets.open(access)) {
      return new Scan(new LaidOutBackups(store).volumes(), known, request);
    }
  }

  private Result follow(String work, BackupTarget target, ReconcileContext context)
      throws StorageException {
    Instant now = context.clock().instant();
    try {
      Optional<Scan> scan = scans.take(work);
      if (scan.isEmpty()) {
        return Result.after(POLL);
      }
      pauses.end(pauseOf(target));
      complete(scan.get(), target, context);
    } catch (StorageException e) {
      if (scans.isBegun(work) || e.code() == ErrorCode.CONFLICT) {
        throw e;
      }
      pauses.begin(pauseOf(target), now);
      record(
          target,
          synced(target.status(), Condition.Status.FALSE, String.valueOf(e.getMessage()), now),
          context);
    }
    return Result.after(POLL);
  }

  private static void complete(Scan scan, BackupTarget target, ReconcileContext context)
      throws StorageException {
    List<String> unusable = new ArrayList<>();
    for (String volume : scan.volumes()) {
      BackupVolume entry = BackupVolume.of(target.name(), volume);
      if (!Checks.isName(volume)) {
        unusable.add(volume);
      } else if (!scan.known().contains(volume)) {
        create(entry, context);
      }
    }
    String message =
        unusable.isEmpty()
            ? ""
            : "volumes whose names cannot be names of resources are not shown: "
                + unusable.stream().limit(MOST_SHOWN).collect(Collectors.joining(", "))
                + (unusable.size() > MOST_SHOWN ? ", …" : "");
    Instant now = context.clock().instant();
    record(
        target,
        synced(target.status(), Condition.Status.TRUE, message, now)
            .withLastSyncedAt(Optional.of(now.truncatedTo(ChronoUnit.SECONDS)))
            .withScans(target.status().scans() + 1)
            .withSynced(scan.request()),
        context);
  }

  private static void create(BackupVolume volume, ReconcileContext context)
      throws StorageException {
    try {
      context.store().create(volume);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.ALREADY_EXISTS) {
        throw e;
      }
    }
  }

  private static BackupTargetStatus synced(
      BackupTargetStatus status, Condition.Status condition, String message, Instant now) {
    return status.withConditions(
        Condition.with(
            status.conditions(),
            BackupTarget.SYNCED_CONDITION,
            condition,
            condition == Condition.Status.TRUE ? "Complete" : "ScanFailed",
            message,
            now));
  }

  private static void record(
      BackupTarget target, BackupTargetStatus status, ReconcileContext context)
      throws StorageException {
    if (!status.equals(target.status())) {
      context.store().updateStatus(target.withStatus(status));
    }
  }
}
