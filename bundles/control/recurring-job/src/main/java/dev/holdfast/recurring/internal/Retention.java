package dev.holdfast.recurring.internal;

import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.snapshot.Snapshot;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Selects the snapshots and backups that a job deletes. */
final class Retention {
  private final JobView view;

  Retention(JobView view) {
    this.view = view;
  }

  /** Returns the complete backups beyond those to keep, never the base of the next backup. */
  List<Backup> backups() {
    List<Backup> complete =
        view.ownBackups().stream()
            .filter(backup -> backup.status().state() == BackupState.COMPLETED)
            .toList();
    return beyond(
            complete,
            backup -> backup.spec().volume(),
            Comparator.comparingLong(backup -> RunNames.number(backup.metadata())))
        .filter(backup -> !isBase(backup))
        .toList();
  }

  private boolean isBase(Backup backup) {
    return view.newestBackup(backup.spec().volume(), backup.spec().backupTargetName())
        .filter(newest -> newest.name().equals(backup.name()))
        .isPresent();
  }

  /** Returns the snapshots of the job beyond those to keep. */
  List<Snapshot> snapshots() {
    List<Snapshot> taken =
        view.ownSnapshots().stream()
            .filter(snapshot -> !isChecked(snapshot) && isTaken(snapshot))
            .toList();
    Set<String> needed = needed();
    return beyond(
            taken,
            snapshot -> snapshot.spec().volume(),
            Comparator.comparingLong(snapshot -> RunNames.number(snapshot.metadata())))
        .filter(snapshot -> !needed.contains(snapshot.name()))
        .toList();
  }

  /** Returns the oldest snapshots of a volume of any origin beyond those to keep. */
  List<Snapshot> oldest(String volume) {
    Set<String> needed = needed();
    return beyond(
            taken(volume).toList(),
            snapshot -> volume,
            Comparator.comparing(
                snapshot -> snapshot.status().creationTime().orElse(Instant.EPOCH)))
        .filter(snapshot -> !needed.contains(snapshot.name()) && !isInUse(snapshot))
        .toList();
  }

  /** Returns the snapshots of a volume that the system took for its own work. */
  List<Snapshot> ofSystem(String volume) {
    Set<String> needed = needed();
    return taken(volume)
        .filter(snapshot -> !snapshot.status().userCreated() && !snapshot.status().markRemoved())
        .filter(snapshot -> !needed.contains(snapshot.name()) && !isInUse(snapshot))
        .toList();
  }

  private Stream<Snapshot> taken(String volume) {
    return view.snapshots().stream()
        .filter(snapshot -> snapshot.spec().volume().equals(volume))
        .filter(snapshot -> !snapshot.isBeingDeleted() && isTaken(snapshot));
  }

  private <T> Stream<T> beyond(List<T> all, Function<T, String> volume, Comparator<T> byTime) {
    Map<String, List<T>> groups = all.stream().collect(Collectors.groupingBy(volume));
    return groups.values().stream()
        .flatMap(
            group -> group.stream().sorted(byTime.reversed()).skip(view.job().spec().retain()));
  }

  private static boolean isTaken(Snapshot snapshot) {
    return snapshot.status().readyToUse() && snapshot.status().error().isEmpty();
  }

  private static boolean isChecked(Snapshot snapshot) {
    return snapshot.metadata().labels().containsKey(RecurringJob.CHECK_LABEL);
  }

  private static boolean isInUse(Snapshot snapshot) {
    Map<String, String> labels = snapshot.metadata().labels();
    return labels.containsKey(Backup.SNAPSHOT_LABEL)
        || labels.containsKey(Snapshot.COPY_LABEL)
        || isChecked(snapshot)
        || snapshot.spec().exported();
  }

  /** Returns the snapshots that backups read, or with which the next backup is compared. */
  private Set<String> needed() {
    return view.backups().stream()
        .filter(backup -> !backup.isBeingDeleted())
        .filter(backup -> !backup.isFinal() || isBase(backup))
        .flatMap(backup -> Stream.of(backup.spec().snapshotName(), backup.status().snapshotName()))
        .filter(name -> !name.isEmpty())
        .collect(Collectors.toSet());
  }
}
