package dev.holdfast.recurring.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringJobStatus;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The rules that hold at any time of a history, and the state that their checks need. */
final class JobInvariants {
  private final String task;

  /** The clocks of nodes differ by further 20 minutes. */
  private static final Duration REPEATING = DueRun.TOLERANCE.minusMinutes(20);

  private final Map<String, String> uids = new HashMap<>();
  private final Set<String> repeatable = new HashSet<>();
  private Duration highest = Duration.ZERO;
  private final Set<String> made = new HashSet<>();
  private final Map<String, Set<String>> completed = new HashMap<>();

  JobInvariants(String task) {
    this.task = task;
  }

  /** Records a changed clock. Runs of repeated times may be repeated if their objects are gone. */
  void clockIsAt(Duration newShift) {
    highest = highest.compareTo(newShift) < 0 ? newShift : highest;
    if (highest.minus(newShift).compareTo(REPEATING) > 0) {
      repeatable.addAll(uids.values());
      uids.clear();
    }
  }

  private boolean makesBackups() {
    return task.startsWith("backup");
  }

  static List<Backup> backups(ResourceStore store) throws StorageException {
    return store.list(Backup.KIND, LabelSelector.ALL).items();
  }

  static List<Snapshot> snapshots(ResourceStore store) throws StorageException {
    return store.list(Snapshot.KIND, LabelSelector.ALL).items();
  }

  void madeOnce(ResourceStore store) throws StorageException {
    for (Backup backup : backups(store)) {
      made("backup", backup.spec().volume(), backup.metadata());
    }
    for (Snapshot snapshot : snapshots(store)) {
      made("snapshot", snapshot.spec().volume(), snapshot.metadata());
    }
  }

  private void made(String kind, String volume, ObjectMeta metadata) {
    String run = kind + " of " + volume + " at " + RunNames.time(metadata);
    made.add(volume + " " + RunNames.time(metadata));
    if (repeatable.contains(metadata.uid())) {
      return;
    }
    String before = uids.putIfAbsent(run, metadata.uid());
    if (before != null && !before.equals(metadata.uid())) {
      throw new AssertionError("made twice: " + run);
    }
  }

  /** Checks that removal leaves at least the number of complete backups to keep. */
  void keepsTheNewest(ResourceStore store) throws StorageException {
    Map<String, Integer> present = new HashMap<>();
    for (Backup backup : backups(store)) {
      if (backup.status().state() == BackupState.COMPLETED) {
        String volume = backup.spec().volume();
        completed.computeIfAbsent(volume, v -> new HashSet<>()).add(backup.metadata().uid());
        present.merge(volume, 1, Integer::sum);
      }
    }
    completed.forEach(
        (volume, all) -> {
          int least = Math.min(JobHistory.RETAIN, all.size());
          if (present.getOrDefault(volume, 0) < least) {
            throw new AssertionError("too few backups of " + volume + ": " + present);
          }
        });
  }

  void successIsWhole(ResourceStore store) throws StorageException {
    RecurringJobStatus status = status(store);
    if (!task.endsWith("force-create") || status.lastSucceededAt().isEmpty()) {
      return;
    }
    for (String volume : JobHistory.VOLUMES) {
      if (!made.contains(volume + " " + status.lastSucceededAt().get())) {
        throw new AssertionError(
            "succeeded at " + status.lastSucceededAt().get() + " without " + volume);
      }
    }
  }

  private static RecurringJobStatus status(ResourceStore store) throws StorageException {
    return store
        .get(RecurringJob.KIND, "often")
        .map(RecurringJob::status)
        .orElse(RecurringJobStatus.EMPTY);
  }

  /** Returns whether each volume has at most the number of objects to keep, and one base. */
  boolean isTidy(ResourceStore store) throws StorageException {
    Map<String, Integer> present = new HashMap<>();
    if (makesBackups()) {
      for (Backup backup : backups(store)) {
        if (backup.status().state() == BackupState.COMPLETED) {
          present.merge(backup.spec().volume(), 1, Integer::sum);
        }
      }
    } else {
      for (Snapshot snapshot : snapshots(store)) {
        present.merge(snapshot.spec().volume(), 1, Integer::sum);
      }
    }
    return present.values().stream().allMatch(count -> count <= JobHistory.RETAIN + 1);
  }
}
