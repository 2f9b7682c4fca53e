package dev.holdfast.backup.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupStatus;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.node.Node;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/**
 * Exports backups to hosts, read-only and without a volume. One node claims each backup in its
 * status; another node takes over when that node is lost. Both may then serve the backup, which is
 * harmless because a backup never changes.
 */
@Component(service = Reconciler.class)
public final class BackupExportReconciler implements Reconciler<Backup> {
  private static final Duration SOON = Duration.ofMillis(200);
  private static final Duration REVIEW = Duration.ofSeconds(5);
  private static final Duration RETRY = Duration.ofSeconds(10);

  private final InstalledTargets targets;
  private final AttachedVolumes volumes;
  private final BackgroundWork<ShownBackup> openings;
  private final BackgroundWork<Boolean> leases;
  private final Map<String, ShownBackup> shown = new ConcurrentHashMap<>();
  private final Pauses pauses = new Pauses(RETRY);

  /** Creates the reconciler of a running bundle. */
  @Activate
  public BackupExportReconciler(
      @Reference InstalledTargets targets, @Reference AttachedVolumes volumes) {
    this.targets = targets;
    this.volumes = volumes;
    this.openings = new BackgroundWork<>(volumes.executor());
    this.leases = new BackgroundWork<>(volumes.executor());
  }

  @Override
  public String name() {
    return "backup-export";
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
  public List<Watched<?>> watches() {
    return List.of(
        new Watched<>(BackupTarget.KIND, target -> List.of()),
        new Watched<>(Node.KIND, node -> List.of()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Backup> wanted = context.get(Backup.KIND, name).filter(Backup::isToBeExported);
    if (openings.isBegun(name)) {
      return opened(name, wanted, context);
    }
    if (shown.containsKey(name)) {
      return review(name, wanted, context);
    }
    if (wanted.isPresent()) {
      return show(wanted.get(), context);
    }
    Optional<Backup> left =
        context.get(Backup.KIND, name).filter(b -> isServedBy(b, context.nodeName()));
    if (left.isPresent()) {
      record(left.get(), BackupExportReconciler::withoutExport, context);
    }
    return Result.DONE;
  }

  private static boolean isServedBy(Backup backup, String node) {
    return backup.status().exportNodeID().equals(node);
  }

  private static BackupStatus withoutExport(BackupStatus status) {
    return status.withExportNodeID("").withEndpoint("").withExportError("");
  }

  private Result show(Backup backup, ReconcileContext context) throws StorageException {
    String node = context.nodeName();
    if (!isServedBy(backup, node)) {
      Predicate<String> lost = other -> isLost(other, context);
      record(
          backup,
          status ->
              mayClaim(backup.withStatus(status), node, lost) ? claimed(status, node) : status,
          context);
      return Result.after(REVIEW);
    }
    Optional<Duration> pause = pauses.left(backup.name(), context.clock().instant());
    Optional<BackupTarget> target =
        context.get(BackupTarget.KIND, backup.spec().backupTargetName());
    if (pause.isPresent() || target.isEmpty() || volumes.portal().isEmpty()) {
      return Result.after(pause.orElse(REVIEW));
    }
    openings.begin(backup.name(), () -> ShownBackup.open(backup, target.get(), targets, volumes));
    return Result.after(SOON);
  }

  private static BackupStatus claimed(BackupStatus status, String node) {
    return withoutExport(status).withExportNodeID(node);
  }

  /** Returns whether a node must serve a backup that another node, or no node, serves. */
  static boolean mayClaim(Backup backup, String node, Predicate<String> lost) {
    String wanted = backup.spec().exportNodeID();
    String present = backup.status().exportNodeID();
    boolean fits = wanted.isEmpty() || wanted.equals(node);
    return fits && (present.isEmpty() || lost.test(present) || isElsewhere(present, wanted));
  }

  private static boolean isElsewhere(String present, String wanted) {
    return !wanted.isEmpty() && !present.equals(wanted);
  }

  private static boolean isLost(String node, ReconcileContext context) {
    Optional<Node> found = context.get(Node.KIND, node);
    return found.isEmpty()
        || Condition.find(found.get().status().conditions(), Condition.READY)
            .filter(condition -> condition.status() == Condition.Status.UNKNOWN)
            .isPresent();
  }

  private Result opened(String name, Optional<Backup> wanted, ReconcileContext context)
      throws StorageException {
    try {
      Optional<ShownBackup> opened = openings.take(name);
      if (opened.isEmpty()) {
        return Result.after(SOON);
      }
      shown.put(name, opened.get());
      return review(name, wanted, context);
    } catch (StorageException e) {
      if (openings.isBegun(name)) {
        throw e;
      }
      pauses.begin(name, context.clock().instant());
      if (wanted.isPresent()) {
        fail(wanted.get(), e, context);
      }
      return Result.after(RETRY);
    }
  }

  private static void fail(Backup backup, StorageException why, ReconcileContext context)
      throws StorageException {
    String message = String.valueOf(why.getMessage());
    if (!backup.status().exportError().equals(message)) {
      record(backup, status -> status.withEndpoint("").withExportError(message), context);
      context.events().warning(backup, "ExportFailed", message);
    }
  }

  private Result review(String name, Optional<Backup> wanted, ReconcileContext context)
      throws StorageException {
    ShownBackup present = shown.get(name);
    boolean stays =
        wanted
            .filter(backup -> isServedBy(backup, context.nodeName()))
            .filter(present::isOf)
            .isPresent();
    if (!stays || present.isLeft(volumes.portal())) {
      shown.remove(name).close();
      return Result.after(SOON);
    }
    try {
      if (leases.take(name).isPresent() || !leases.isBegun(name)) {
        leases.begin(name, present::keep);
      }
    } catch (StorageException e) {
      if (present.isLost(e)) {
        shown.remove(name).close();
        fail(wanted.get(), e, context);
        return Result.after(SOON);
      }
    }
    record(
        wanted.get(),
        status -> status.withEndpoint(present.endpoint()).withExportError(""),
        context);
    return Result.after(REVIEW);
  }

  private static void record(
      Backup backup, UnaryOperator<BackupStatus> change, ReconcileContext context)
      throws StorageException {
    if (!change.apply(backup.status()).equals(backup.status())) {
      BackupRecords.change(context.store(), backup, backup.status().state(), change);
    }
  }

  /** Ends all exports of this node. Their clients lose their connections. */
  @Deactivate
  public void close() {
    for (String name : List.copyOf(shown.keySet())) {
      Optional.ofNullable(shown.remove(name)).ifPresent(ShownBackup::close);
    }
  }
}
