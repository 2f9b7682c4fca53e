package dev.holdfast.backup.internal.system;

import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.SystemBackup;
import dev.holdfast.resource.backup.VolumeBackupPolicy;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * Decides which backup of a volume a system backup uses, and which backups must be made for it.
 * Backups that a scan found do not count, because they may belong to a volume of another cluster.
 */
class VolumeBackupChoice {
  /** After this number of failures a backup does not delay the system backup. */
  private static final int MOST_ATTEMPTS = 3;

  private final SystemBackup system;
  private final List<Backup> backups;

  /** Creates the object that chooses among the backups of the cluster. */
  interface Factory {
    /** Returns an object for the current backups. */
    VolumeBackupChoice of(SystemBackup system, List<Backup> backups);
  }

  VolumeBackupChoice(SystemBackup system, List<Backup> backups) {
    this.system = system;
    this.backups = backups;
  }

  /**
   * Returns the name of the target of a volume's backups: its own, or that of the system backup.
   */
  private String target(Volume volume) {
    String own = volume.spec().backupTargetName();
    return own.isEmpty() ? system.spec().backupTargetName() : own;
  }

  /** Returns the newest complete backup of a volume. */
  Optional<Backup> newest(Volume volume) {
    return backups.stream()
        .filter(backup -> backup.spec().volume().equals(volume.name()))
        .filter(backup -> backup.spec().backupTargetName().equals(target(volume)))
        .filter(backup -> backup.status().state() == BackupState.COMPLETED)
        .filter(backup -> !backup.isDiscovered() && !backup.isBeingDeleted())
        .max(Backup.COMPLETION_ORDER);
  }

  /**
   * Returns the backups that must be made first. Their names are derived from the system backup.
   */
  List<Backup> toMake(List<Volume> volumes) {
    return volumes.stream()
        .filter(volume -> obstacle(volume).isEmpty())
        .filter(this::isWanted)
        .map(this::made)
        .toList();
  }

  /** Returns whether the system backup includes a volume. */
  boolean isSelected(Volume volume) {
    return system.spec().selects(volume.metadata().labels());
  }

  private boolean isWanted(Volume volume) {
    return isSelected(volume)
        && system.spec().volumeBackupPolicy() != VolumeBackupPolicy.DISABLED
        && (system.spec().volumeBackupPolicy() == VolumeBackupPolicy.ALWAYS
            || newest(volume).isEmpty());
  }

  private Backup made(Volume volume) {
    Backup backup =
        Backup.of(
            nameFor(volume),
            BackupSpec.EMPTY.withVolume(volume.name()).withBackupTargetName(target(volume)));
    return backup.withMetadata(
        backup.metadata().withLabels(Map.of(SystemBackup.LABEL, system.name())));
  }

  String nameFor(Volume volume) {
    CRC32 hash = new CRC32();
    String text = system.metadata().uid() + "/" + volume.name();
    hash.update(text.getBytes(StandardCharsets.UTF_8));
    return "%s-%08x".formatted(system.name(), hash.getValue());
  }

  /** Returns the reason why a volume cannot be backed up; empty if it can. */
  private static String obstacle(Volume volume) {
    if (volume.isBeingDeleted()) {
      return "it is being deleted";
    } else if (volume.awaitsContent()) {
      return "its first content is not complete";
    }
    return volume.status().robustness() == Robustness.FAULTED ? "it is faulted" : "";
  }

  /** Returns whether a backup that was made for the system backup may still become complete. */
  boolean isAwaited(Backup backup) {
    return system.name().equals(backup.metadata().labels().get(SystemBackup.LABEL))
        && !backup.isBeingDeleted()
        && !backup.isFinal()
        && backup.status().attempts() < MOST_ATTEMPTS;
  }

  /** Returns the reason why a volume has no backup. */
  String whyNone(Volume volume) {
    String obstacle = obstacle(volume);
    if (!obstacle.isEmpty()) {
      return obstacle;
    }
    return backups.stream()
        .filter(backup -> backup.name().equals(nameFor(volume)))
        .map(backup -> "backup " + backup.name() + ": " + backup.status().error())
        .findFirst()
        .orElse("it has none at target " + target(volume));
  }
}
