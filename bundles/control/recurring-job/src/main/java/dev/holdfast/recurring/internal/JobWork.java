package dev.holdfast.recurring.internal;

import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.RecurringJobStatus;
import dev.holdfast.resource.backup.RecurringTask;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareManager;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Collects the writes of one step for the volumes of a run. Not safe for use by several threads.
 */
final class JobWork {
  private final JobView view;
  private final MadeObjects objects;
  private final ChangeCheck changes;
  private final Verifications verifications;
  private final Trims trims;
  private final List<Snapshot> newSnapshots = new ArrayList<>();
  private final List<Backup> newBackups = new ArrayList<>();
  private final List<Snapshot> changedSnapshots = new ArrayList<>();
  private final List<Backup> changedBackups = new ArrayList<>();
  private final List<Volume> changedVolumes = new ArrayList<>();
  private final List<ShareManager> changedShares = new ArrayList<>();
  private final List<Backup> oldBackups = new ArrayList<>();
  private final List<Snapshot> oldSnapshots = new ArrayList<>();
  private final List<String> pending = new ArrayList<>();
  private final Set<String> begun = new TreeSet<>();
  private final TreeMap<String, String> failures = new TreeMap<>();
  private final TreeMap<String, String> skipped = new TreeMap<>();

  JobWork(JobView view) {
    this.view = view;
    this.objects = new MadeObjects(view.job());
    this.changes = new ChangeCheck(view);
    this.verifications = new Verifications(view);
    this.trims = new Trims(view);
  }

  /** Returns the volumes that the job processes, including those whose backup must be retried. */
  Set<String> unfinished() {
    Set<String> volumes = working();
    view.ownBackups().stream()
        .filter(backup -> !backup.isFinal())
        .forEach(backup -> volumes.add(backup.spec().volume()));
    return volumes;
  }

  /** Returns the volumes that count towards the limit of concurrently processed volumes. */
  private Set<String> working() {
    Set<String> volumes = new TreeSet<>(verifications.volumes());
    volumes.addAll(trims.volumes());
    view.checkedSnapshots().forEach(snapshot -> volumes.add(snapshot.spec().volume()));
    view.ownSnapshots().stream()
        .filter(snapshot -> !snapshot.status().readyToUse() && snapshot.status().error().isEmpty())
        .forEach(snapshot -> volumes.add(snapshot.spec().volume()));
    view.ownBackups().stream()
        .filter(backup -> !backup.isFinal() && backup.status().state() != BackupState.ERROR)
        .forEach(backup -> volumes.add(backup.spec().volume()));
    return volumes;
  }

  /** Creates one object for each volume, up to the limit of concurrently processed volumes. */
  void beginVolumes(List<String> volumes) {
    Set<String> working = working();
    for (String volume : volumes) {
      if (view.volume(volume).isEmpty() || isMade(volume)) {
        continue;
      }
      if (working.size() >= view.job().spec().concurrency()) {
        pending.add(volume);
        continue;
      }
      make(volume);
      working.add(volume);
      begun.add(volume);
    }
  }

  private Instant time() {
    return view.job().status().lastScheduledAt().orElse(Instant.EPOCH);
  }

  private boolean isMade(String volume) {
    String name = RunNames.of(view.job(), time(), volume);
    Optional<Backup> backup = view.backup(name);
    if (backup.filter(found -> !found.spec().volume().equals(volume)).isPresent()) {
      failures.put(volume, "backup " + name + " is of another volume");
    }
    return backup.isPresent() || view.snapshot(Snapshot.nameFor(volume, name)).isPresent();
  }

  private void make(String volume) {
    String name = RunNames.of(view.job(), time(), volume);
    RecurringTask task = view.task();
    boolean full = objects.isFull();
    boolean checked = task.needsChanges() && !full && changes.reference(volume).isPresent();
    if (task.makesBackups() && !checked) {
      newBackups.add(objects.backup(volume, view.target(volume), name, objects.run(), full));
    } else {
      newSnapshots.add(objects.snapshot(volume, name, objects.run(), checked));
    }
  }

  /** Decides about snapshots whose changes are being checked. */
  void continueChecks() {
    for (Snapshot snapshot : view.checkedSnapshots()) {
      switch (changes.outcome(snapshot)) {
        case OPEN -> {}
        case ASK -> changedSnapshots.add(changes.asked(snapshot));
        case UNCHANGED -> oldSnapshots.add(snapshot);
        case CHANGED -> keep(snapshot);
        case FAILED -> {
          failures.put(
              snapshot.spec().volume(),
              "snapshot " + snapshot.name() + ": " + snapshot.status().error());
          oldSnapshots.add(snapshot);
        }
      }
    }
  }

  private void keep(Snapshot snapshot) {
    if (!view.task().makesBackups()) {
      changedSnapshots.add(MadeObjects.unchecked(snapshot, Optional.empty()));
      return;
    }
    String name = snapshot.nameInVolume();
    if (view.backup(name).isEmpty()) {
      newBackups.add(
          objects.backup(
              snapshot.spec().volume(),
              view.target(snapshot.spec().volume()),
              name,
              MadeObjects.runOf(snapshot),
              false));
    }
    changedSnapshots.add(MadeObjects.unchecked(snapshot, Optional.of(name)));
  }

  /**
   * Deletes snapshots of volumes, up to the limit of concurrently processed volumes.
   *
   * @param chosen returns the snapshots of a volume to delete
   */
  void deleteSnapshots(List<String> volumes, Function<String, List<Snapshot>> chosen) {
    int most = view.job().spec().concurrency();
    volumes.stream().limit(most).map(chosen).forEach(oldSnapshots::addAll);
    volumes.stream().skip(most).forEach(pending::add);
  }

  /**
   * Requests the verification of backups of volumes, up to the limit of concurrently processed
   * volumes.
   */
  void verify(List<String> volumes) {
    Set<String> working = working();
    for (String volume : volumes) {
      if (working.size() >= view.job().spec().concurrency() && !working.contains(volume)) {
        pending.add(volume);
        continue;
      }
      List<Backup> due = verifications.due(volume);
      changedBackups.addAll(due);
      if (!due.isEmpty()) {
        working.add(volume);
        begun.add(volume);
      }
    }
  }

  /** Requests trims of volumes, up to the limit of concurrently processed volumes. */
  void trim(List<String> volumes) {
    Set<String> working = working();
    for (String volume : volumes) {
      String obstacle = trims.obstacle(volume);
      if (!obstacle.isEmpty()) {
        skipped.put(volume, obstacle);
      } else if (working.size() >= view.job().spec().concurrency() && !working.contains(volume)) {
        pending.add(volume);
      } else {
        trims.dueVolume(volume).ifPresent(changedVolumes::add);
        trims.dueShare(volume).ifPresent(changedShares::add);
        working.add(volume);
        begun.add(volume);
      }
    }
  }

  /** Deletes backups and snapshots beyond those to keep. */
  void delete(List<Backup> backups, List<Snapshot> snapshots) {
    oldBackups.addAll(backups);
    oldSnapshots.addAll(snapshots);
  }

  List<String> pending() {
    return pending;
  }

  List<String> active() {
    Set<String> volumes = unfinished();
    volumes.addAll(begun);
    return List.copyOf(volumes);
  }

  /**
   * Returns the failures of the current run, and the known failures of volumes without an object.
   */
  List<String> errors(List<String> known) {
    TreeMap<String, String> all = new TreeMap<>(failures);
    all.putAll(verifications.failures());
    all.putAll(trims.failures());
    Set<String> made = new TreeSet<>(begun);
    made.addAll(verifications.made());
    made.addAll(trims.made());
    String time = time().toString();
    for (Backup backup : view.ownBackups()) {
      if (RunNames.time(backup.metadata()).equals(time)) {
        made.add(backup.spec().volume());
        if (backup.status().state() == BackupState.ERROR) {
          all.put(
              backup.spec().volume(), "backup " + backup.name() + ": " + backup.status().error());
        }
      }
    }
    for (Snapshot snapshot : view.ownSnapshots()) {
      if (RunNames.time(snapshot.metadata()).equals(time)) {
        made.add(snapshot.spec().volume());
        if (!snapshot.status().error().isEmpty()) {
          all.put(
              snapshot.spec().volume(),
              "snapshot " + snapshot.name() + ": " + snapshot.status().error());
        }
      }
    }
    return told(known, made, all);
  }

  /**
   * Returns the reasons why the current run skipped volumes, and the known reasons of other
   * volumes.
   */
  List<String> skipped(List<String> known) {
    TreeMap<String, String> all = new TreeMap<>(skipped);
    all.putAll(trims.skipped());
    return told(known, trims.made(), all);
  }

  /** Returns the known texts of volumes that are not named, and the new texts. */
  private static List<String> told(List<String> known, Set<String> named, Map<String, String> all) {
    List<String> texts = new ArrayList<>();
    for (String text : known) {
      boolean replaced =
          named.stream().anyMatch(v -> text.startsWith(prefix(v)))
              || all.keySet().stream().anyMatch(v -> text.startsWith(prefix(v)));
      if (!replaced) {
        texts.add(text);
      }
    }
    all.forEach((volume, why) -> texts.add(prefix(volume) + why));
    return texts.stream().sorted().toList();
  }

  private static String prefix(String volume) {
    return "volume " + volume + ": ";
  }

  JobPlan plan(RecurringJobStatus status, Optional<Instant> missed) {
    return new JobPlan(
        newSnapshots,
        newBackups,
        changedSnapshots,
        changedBackups,
        changedVolumes,
        changedShares,
        oldBackups,
        oldSnapshots,
        status,
        missed);
  }
}
