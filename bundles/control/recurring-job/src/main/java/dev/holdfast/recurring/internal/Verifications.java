package dev.holdfast.recurring.internal;

import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.RecurringTask;
import dev.holdfast.resource.backup.VerificationStatus;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The verifications that a job requests, by a text that names the job and the run. */
final class Verifications {
  private final JobView view;

  Verifications(JobView view) {
    this.view = view;
  }

  private String prefix() {
    return RunNames.requestPrefix(view.job());
  }

  private String request() {
    return RunNames.request(view.job());
  }

  /**
   * Returns the newest backups of a volume without a request of the run, with the request added.
   */
  List<Backup> due(String volume) {
    return view.backups().stream()
        .filter(backup -> backup.status().state() == BackupState.COMPLETED)
        .filter(backup -> !backup.isBeingDeleted())
        .filter(backup -> backup.spec().volume().equals(volume))
        .filter(backup -> backup.spec().backupTargetName().equals(view.target(volume)))
        .sorted(Backup.COMPLETION_ORDER.reversed())
        .limit(view.job().spec().retain())
        .filter(backup -> !backup.spec().verifyRequest().equals(request()))
        .map(backup -> backup.withSpec(backup.spec().withVerifyRequest(request())))
        .toList();
  }

  /** Returns the volumes with a verification that this job requested and that has not ended. */
  Set<String> volumes() {
    Set<String> volumes = new TreeSet<>();
    asked(prefix())
        .filter(Backup::awaitsVerification)
        .forEach(backup -> volumes.add(backup.spec().volume()));
    return volumes;
  }

  private Stream<Backup> asked(String start) {
    return view.task() == RecurringTask.BACKUP_VERIFY
        ? view.backups().stream().filter(backup -> backup.spec().verifyRequest().startsWith(start))
        : Stream.empty();
  }

  /** Returns the volumes with a request of the current run. */
  Set<String> made() {
    Set<String> volumes = new TreeSet<>();
    asked(request()).forEach(backup -> volumes.add(backup.spec().volume()));
    return volumes;
  }

  /** Returns the damage and the failed verifications of the current run, by volumes. */
  Map<String, String> failures() {
    Map<String, String> found = new TreeMap<>();
    asked(request())
        .forEach(
            backup -> {
              VerificationStatus result = backup.status().verification();
              String start = "backup " + backup.name() + ": ";
              if (result.damagedBlocks() > 0 && result.request().equals(request())) {
                found.put(
                    backup.spec().volume(),
                    start + result.damagedBlocks() + " blocks are damaged at the target");
              } else if (!result.error().isEmpty()) {
                found.putIfAbsent(backup.spec().volume(), start + result.error());
              }
            });
    return found;
  }
}
