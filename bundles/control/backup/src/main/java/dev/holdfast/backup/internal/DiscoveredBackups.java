package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupSummary;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupStatus;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupVolume;
import dev.holdfast.store.LabelSelector;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Makes the Backup resources of one volume at a target agree with a scan. It deletes cache entries
 * only, and nothing at the target. If the target has lost a backup of this cluster, the resource
 * stays and reports the loss.
 */
final class DiscoveredBackups {
  private static final int LONGEST_NAME = 63;
  private static final int LONGEST_START = 54;

  private final BackupTarget target;
  private final BackupVolume volume;
  private final ReconcileContext context;

  DiscoveredBackups(BackupTarget target, BackupVolume volume, ReconcileContext context) {
    this.target = target;
    this.volume = volume;
    this.context = context;
  }

  /** Returns the backups of the volume at the target that the store has. */
  List<Backup> stored() throws StorageException {
    return context.store().list(Backup.KIND, LabelSelector.ALL).items().stream()
        .filter(volume::has)
        .toList();
  }

  /** Deletes the cache entries of the volume, and nothing at the target. */
  void forget() throws StorageException {
    for (Backup backup : stored()) {
      if (backup.isDiscovered() && !backup.isBeingDeleted()) {
        delete(backup);
      }
    }
  }

  /** Applies a scan. */
  void apply(ScannedVolume scan) throws StorageException {
    List<Backup> all = context.store().list(Backup.KIND, LabelSelector.ALL).items();
    Map<String, Backup> taken = new TreeMap<>();
    Map<String, Backup> present = new TreeMap<>();
    for (Backup backup : all) {
      taken.put(backup.name(), backup);
      if (volume.has(backup)) {
        present.put(backup.nameAtTarget(), backup);
      }
    }
    for (BackupSummary summary : scan.backups()) {
      String name = summary.name().backup();
      Backup backup = present.get(name);
      if (backup == null) {
        // A backup that was in the store when the scan began was deleted since.
        if (!scan.order().known().contains(name)) {
          create(summary, scan, taken);
        }
      } else if (!backup.isBeingDeleted()) {
        settle(backup, summary, scan, taken);
      }
    }
    for (String name : scan.vanished()) {
      Backup backup = present.get(name);
      if (backup != null && !backup.isBeingDeleted()) {
        vanished(backup);
      }
    }
  }

  private void create(BackupSummary summary, ScannedVolume scan, Map<String, Backup> taken)
      throws StorageException {
    String atTarget = summary.name().backup();
    String name = isFree(atTarget, taken) ? atTarget : otherName(atTarget);
    if (taken.containsKey(name)) {
      return;
    }
    Backup entry = Backup.of(name, spec(summary, name));
    entry =
        entry.withMetadata(
            entry.metadata().withLabels(Map.of(Backup.DISCOVERED_LABEL, volume.name())));
    Backup created = context.store().create(entry);
    taken.put(name, created);
    context.store().updateStatus(created.withStatus(status(created.status(), summary, scan)));
  }

  private static boolean isFree(String name, Map<String, Backup> taken) {
    return Checks.isName(name) && name.length() <= LONGEST_NAME && !taken.containsKey(name);
  }

  /** Returns the name of a resource for a backup whose own name is taken or invalid. */
  private String otherName(String atTarget) {
    String start =
        atTarget.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9-]", "-").replaceFirst("-+$", "");
    String cut = start.length() > LONGEST_START ? start.substring(0, LONGEST_START) : start;
    // The name of a BackupVolume ends with a hash of its parts.
    String unique = BackupVolume.nameFor(volume.name(), atTarget);
    return cut + unique.substring(unique.length() - 9);
  }

  private BackupSpec spec(BackupSummary summary, String resource) {
    String atTarget = summary.name().backup();
    return BackupSpec.EMPTY
        .withVolume(volume.spec().volumeName())
        .withBackupTargetName(volume.spec().backupTargetName())
        .withLabels(summary.labels())
        .withNameAtTarget(atTarget.equals(resource) ? "" : atTarget);
  }

  private void settle(
      Backup backup, BackupSummary summary, ScannedVolume scan, Map<String, Backup> taken)
      throws StorageException {
    if (!backup.isDiscovered()) {
      if (backup.wasCompleted()) {
        write(backup, found(backup.status(), summary));
      }
    } else if (!backup.spec().withVerifyRequest("").equals(spec(summary, backup.name()))) {
      // The backup was deleted at the target, and another backup was created under its name.
      delete(backup);
      taken.remove(backup.name());
      create(summary, scan, taken);
    } else {
      write(backup, status(backup.status(), summary, scan));
    }
  }

  private BackupStatus found(BackupStatus status, BackupSummary summary) {
    return status
        .withState(BackupState.COMPLETED)
        .withError("")
        .withUrl(TargetAccess.addressOf(target, summary.name()));
  }

  private BackupStatus status(BackupStatus status, BackupSummary summary, ScannedVolume scan) {
    long recorded = summary.volumeSizeBytes();
    long size =
        recorded > 0 ? recorded : scan.volume().map(found -> found.sizeBytes()).orElse(recorded);
    return found(status, summary)
        .withProgress(100)
        .withSnapshotUID(summary.snapshotUid())
        .withSnapshotCreatedAt(summary.snapshotTime())
        .withBackupCreatedAt(BackupSummary.time(summary.createdAt()))
        .withVolumeSize(new Quantity(size))
        .withSize(new Quantity(summary.sizeBytes()));
  }

  private void vanished(Backup backup) throws StorageException {
    if (backup.isDiscovered()) {
      delete(backup);
    } else if (backup.status().state() == BackupState.COMPLETED) {
      String why = "backup target " + target.name() + " does not have it any more";
      write(backup, backup.status().withState(BackupState.ERROR).withError(why));
      context.events().warning(backup, "BackupVanished", why);
    }
  }

  private void write(Backup backup, BackupStatus next) throws StorageException {
    if (!next.equals(backup.status())) {
      context.store().updateStatus(backup.withStatus(next));
    }
  }

  private void delete(Backup backup) throws StorageException {
    try {
      context.store().delete(Backup.KIND, backup.name(), backup.metadata().uid());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
  }

  /** Returns the names at the target of those backups, sorted. */
  static Set<String> names(List<Backup> backups) {
    return backups.stream()
        .map(Backup::nameAtTarget)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
