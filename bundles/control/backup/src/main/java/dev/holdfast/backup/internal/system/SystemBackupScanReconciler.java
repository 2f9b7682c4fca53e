package dev.holdfast.backup.internal.system;

import dev.holdfast.backup.internal.BackgroundWork;
import dev.holdfast.backup.internal.InstalledTargets;
import dev.holdfast.backup.internal.TargetAccess;
import dev.holdfast.backupstore.system.SystemArchives;
import dev.holdfast.backupstore.system.SystemBackupFile;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.SystemBackup;
import dev.holdfast.resource.backup.SystemBackupSpec;
import dev.holdfast.resource.backup.SystemBackupStatus;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Lists the system backups of a target after each scan of it, also those of other clusters. A
 * failed list changes nothing. If a list lacks a system backup, its resource is removed only after
 * a request for its description confirmed the absence.
 */
@Component(service = Reconciler.class)
public final class SystemBackupScanReconciler implements Reconciler<BackupTarget> {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration RETRY = Duration.ofMinutes(1);

  private final InstalledTargets targets;
  private final BackgroundWork<Scan> scans;

  /** Number of the last processed scan of each target, by the target's uid. */
  private final Map<String, Long> shown = new ConcurrentHashMap<>();

  /**
   * Content of a target.
   *
   * @param found its system backups that can be read
   * @param names all names, also of those that cannot be read
   * @param scan number of the target's scan
   */
  private record Scan(List<SystemBackupFile> found, Set<String> names, long scan) {}

  /** Creates the reconciler of a running bundle. */
  @Activate
  public SystemBackupScanReconciler(
      @Reference InstalledTargets targets, @Reference AttachedVolumes volumes) {
    this(targets, volumes.executor());
  }

  SystemBackupScanReconciler(InstalledTargets targets, Executor threads) {
    this.targets = targets;
    this.scans = new BackgroundWork<>(threads);
  }

  @Override
  public String name() {
    return "system-backup-scan";
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
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<BackupTarget> target =
        context.store().get(BackupTarget.KIND, name).filter(found -> !found.isBeingDeleted());
    if (target.isEmpty()) {
      forget(name, context);
      return Result.DONE;
    }
    String uid = target.get().metadata().uid();
    long scan = target.get().status().scans();
    if (scan == 0 || shown.getOrDefault(uid, 0L) >= scan) {
      return Result.DONE;
    }
    if (!scans.isBegun(uid)) {
      List<String> known = cached(name, context).stream().map(SystemBackup::name).toList();
      scans.begin(uid, () -> list(target.get(), known, scan));
    }
    try {
      Optional<Scan> ended = scans.take(uid);
      if (ended.isPresent()) {
        apply(target.get(), ended.get(), context);
        shown.put(uid, ended.get().scan());
      }
      return Result.after(POLL);
    } catch (StorageException e) {
      context.events().warning(target.get(), "SystemBackupsNotListed", "" + e.getMessage());
      return Result.after(RETRY);
    }
  }

  private static List<SystemBackup> cached(String target, ReconcileContext context)
      throws StorageException {
    return context.store().list(SystemBackup.KIND, LabelSelector.ALL).items().stream()
        .filter(SystemBackup::isDiscovered)
        .filter(backup -> backup.spec().backupTargetName().equals(target))
        .toList();
  }

  private Scan list(BackupTarget target, List<String> known, long scan) throws StorageException {
    try (ObjectStore store = targets.open(TargetAccess.of(target))) {
      SystemArchives backups = new SystemArchives(store);
      Set<String> names = new TreeSet<>(backups.names());
      names.addAll(known);
      List<SystemBackupFile> found = new ArrayList<>();
      for (String name : List.copyOf(names)) {
        try {
          Optional<SystemBackupFile> file = backups.find(name);
          file.ifPresent(found::add);
          if (file.isEmpty()) {
            names.remove(name);
          }
        } catch (StorageException e) {
          // A system backup that is damaged, or of a newer version, does not hide the others.
          if (e.code() != ErrorCode.IO && !Lasting.is(e)) {
            throw e;
          }
        }
      }
      return new Scan(List.copyOf(found), names, scan);
    }
  }

  private static void apply(BackupTarget target, Scan scan, ReconcileContext context)
      throws StorageException {
    for (SystemBackup backup : cached(target.name(), context)) {
      if (!scan.names().contains(backup.name()) && !backup.isBeingDeleted()) {
        delete(backup, context);
      }
    }
    Set<String> present =
        context.store().list(SystemBackup.KIND, LabelSelector.ALL).items().stream()
            .map(SystemBackup::name)
            .collect(Collectors.toSet());
    for (SystemBackupFile file : scan.found()) {
      SystemBackup entry = entry(target, file);
      if (!present.contains(file.name()) && entry.validate().isEmpty()) {
        context.store().create(entry);
      }
    }
    for (SystemBackupFile file : scan.found()) {
      describe(target, file, context);
    }
  }

  /**
   * Describes a system backup. Also completes an entry whose status an earlier attempt could not
   * write.
   */
  private static void describe(BackupTarget target, SystemBackupFile file, ReconcileContext context)
      throws StorageException {
    Optional<SystemBackup> entry =
        context
            .store()
            .get(SystemBackup.KIND, file.name())
            .filter(SystemBackup::isDiscovered)
            .filter(found -> found.spec().backupTargetName().equals(target.name()));
    if (entry.isPresent()) {
      SystemBackupStatus ready = ReadyStatus.of(entry.get().status(), file);
      if (!ready.equals(entry.get().status())) {
        context.store().updateStatus(entry.get().withStatus(ready));
      }
    }
  }

  private static SystemBackup entry(BackupTarget target, SystemBackupFile file) {
    SystemBackup entry =
        SystemBackup.of(file.name(), SystemBackupSpec.EMPTY.withBackupTargetName(target.name()));
    return entry.withMetadata(
        entry.metadata().withLabels(Map.of(Backup.DISCOVERED_LABEL, target.name())));
  }

  private static void forget(String target, ReconcileContext context) throws StorageException {
    for (SystemBackup backup : cached(target, context)) {
      if (!backup.isBeingDeleted()) {
        delete(backup, context);
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
}
