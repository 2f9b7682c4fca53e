package dev.holdfast.resource.backup;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.schedule.CronSchedule;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The wanted state of a recurring job. The fields have the names that Longhorn uses.
 *
 * @param task the work for each volume: snapshot, snapshot-force-create, snapshot-delete,
 *     snapshot-cleanup, backup, backup-force-create, backup-verify or filesystem-trim; or
 *     system-backup, which serves the cluster and no single volume; never changes
 * @param cron times at which the job runs: minute, hour, day of month, month and day of week, or
 *     for example @hourly
 * @param timeZone time zone of these times, a name of the IANA database
 * @param groups groups of volumes that the job serves; the group default contains the volumes
 *     without a job and without a group
 * @param retain number of finished snapshots or backups of the job to keep for each volume; for
 *     snapshot-delete the number of snapshots of any origin. For backup-verify it is the number of
 *     newest backups, of any origin, that are verified; for system-backup the number of system
 *     backups. It has no effect on snapshot-cleanup and filesystem-trim
 * @param concurrency number of volumes processed at the same time
 * @param labels labels of the snapshots, or of the backups at the target
 * @param parameters further options: with full-backup-interval N each Nth run sends all blocks
 *     again; volume-backup-policy if-not-present, always or disabled selects the volumes that
 *     system-backup backs up first
 * @param backupTargetName name of the target of backups
 * @param suspend whether runs are suspended; times that pass are skipped
 * @param startingDeadlineSeconds seconds after its time in which a run may begin; 0 for no limit
 * @param missedRuns treatment of times that passed while the job could not begin: once runs the job
 *     once, skip does not
 */
@RecordBuilder
public record RecurringJobSpec(
    String task,
    String cron,
    String timeZone,
    List<String> groups,
    int retain,
    Integer concurrency,
    Map<String, String> labels,
    Map<String, String> parameters,
    String backupTargetName,
    boolean suspend,
    int startingDeadlineSeconds,
    MissedRuns missedRuns)
    implements RecurringJobSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final RecurringJobSpec EMPTY = RecurringJobSpecBuilder.builder().build();

  /** Parameter: each Nth run sends all blocks again; the value is N. */
  public static final String FULL_BACKUP_INTERVAL = "full-backup-interval";

  /** Parameter of system-backup: volumes that are backed up first. */
  public static final String VOLUME_BACKUP_POLICY = "volume-backup-policy";

  private static final int LONGEST_NAME = 40;
  private static final int MOST_KEPT = 250;
  private static final int MOST_CONCURRENT = 100;
  private static final int MOST_GROUPS = 32;
  private static final int SHORTEST_DEADLINE = 60;
  private static final int DEFAULT_CONCURRENCY = 10;
  private static final String NUMBER = "[1-9][0-9]{0,3}";

  /** Replaces null components by their defaults and copies the collections. */
  public RecurringJobSpec {
    task = Defaults.text(task);
    cron = Defaults.text(cron);
    timeZone = Defaults.or(timeZone, "UTC");
    groups = Defaults.list(groups);
    concurrency = Defaults.or(concurrency, DEFAULT_CONCURRENCY);
    labels = Defaults.map(labels);
    parameters = Defaults.map(parameters);
    backupTargetName = Defaults.or(backupTargetName, BackupTarget.DEFAULT_NAME);
    missedRuns = Defaults.or(missedRuns, MissedRuns.ONCE);
  }

  /** Returns whether the name of a job or group is short enough for a label of a volume. */
  static boolean isShortName(String name) {
    return Checks.isName(name) && name.length() <= LONGEST_NAME;
  }

  List<FieldError> validate(ObjectMeta metadata) {
    Checks checks = new Checks();
    checks
        .that(
            isShortName(metadata.name()) || !Checks.isName(metadata.name()),
            "metadata.name",
            metadata.name(),
            "must be at most " + LONGEST_NAME + " characters, because backups are named by it")
        .that(
            RecurringTask.of(task).isPresent(),
            "spec.task",
            task,
            "must be one of " + RecurringTask.names())
        .name(backupTargetName, "spec.backupTargetName");
    checkTimes(checks);
    checkNumbers(checks);
    checkTexts(checks);
    return checks.errors();
  }

  private void checkTimes(Checks checks) {
    boolean known = CronSchedule.isZone(timeZone);
    checks.that(
        known,
        "spec.timeZone",
        timeZone,
        "must be a name of the IANA time zone database, for example Europe/Berlin");
    try {
      CronSchedule.parse(cron, known ? ZoneId.of(timeZone) : ZoneId.of("UTC"));
    } catch (IllegalArgumentException e) {
      checks.that(false, "spec.cron", cron, e.getMessage());
    }
  }

  private void checkNumbers(Checks checks) {
    checks
        .that(
            retain >= 1 && retain <= MOST_KEPT,
            "spec.retain",
            retain,
            "must be 1 to " + MOST_KEPT + ", the number that is kept for each volume")
        .that(
            concurrency >= 1 && concurrency <= MOST_CONCURRENT,
            "spec.concurrency",
            concurrency,
            "must be 1 to " + MOST_CONCURRENT)
        .that(
            startingDeadlineSeconds == 0 || startingDeadlineSeconds >= SHORTEST_DEADLINE,
            "spec.startingDeadlineSeconds",
            startingDeadlineSeconds,
            "must be 0 for no limit, or at least "
                + SHORTEST_DEADLINE
                + ", because another node may have to take over first");
  }

  private void checkTexts(Checks checks) {
    checks.that(
        groups.size() <= MOST_GROUPS,
        "spec.groups",
        groups.size(),
        "must have at most " + MOST_GROUPS + " entries");
    for (String group : groups) {
      checks.that(
          isShortName(group),
          "spec.groups",
          group,
          "must be a name of lower-case letters, digits, '-' and '.' of at most "
              + LONGEST_NAME
              + " characters");
    }
    checks.that(
        !labels.containsKey(RecurringJob.LONGHORN_LABEL),
        "spec.labels",
        RecurringJob.LONGHORN_LABEL,
        "must not be set, because the job sets it to its name");
    parameters.forEach(
        (name, value) ->
            checks.that(
                isParameter(name, value),
                "spec.parameters",
                name + "=" + value,
                "must be "
                    + FULL_BACKUP_INTERVAL
                    + " with a number from 1 to 9999, in a job that makes backups, or "
                    + VOLUME_BACKUP_POLICY
                    + " with if-not-present, always or disabled, in a job that makes system"
                    + " backups"));
  }

  private boolean isParameter(String name, String value) {
    Optional<RecurringTask> work = RecurringTask.of(task);
    if (name.equals(FULL_BACKUP_INTERVAL)) {
      return work.filter(RecurringTask::makesBackups).isPresent() && value.matches(NUMBER);
    }
    return name.equals(VOLUME_BACKUP_POLICY)
        && work.equals(Optional.of(RecurringTask.SYSTEM_BACKUP))
        && policy(value).isPresent();
  }

  private static Optional<VolumeBackupPolicy> policy(String text) {
    return Stream.of(VolumeBackupPolicy.values())
        .filter(policy -> policy.toString().equals(text))
        .findFirst();
  }

  /** Returns the volumes that are backed up before a system backup of the job is written. */
  public VolumeBackupPolicy volumeBackupPolicy() {
    return policy(parameters.getOrDefault(VOLUME_BACKUP_POLICY, ""))
        .orElse(VolumeBackupPolicy.IF_NOT_PRESENT);
  }

  List<FieldError> validateChange(RecurringJobSpec earlier) {
    return new Checks().immutable(earlier.task, task, "spec.task").errors();
  }

  /**
   * Returns the number of runs from one full backup to the next; 0 if the job forces no full
   * backups.
   */
  public int fullBackupInterval() {
    String interval = parameters.getOrDefault(FULL_BACKUP_INTERVAL, "0");
    return interval.matches(NUMBER) ? Integer.parseInt(interval) : 0;
  }

  /**
   * Returns the times of the job.
   *
   * @throws IllegalArgumentException if the spec is not valid
   */
  public CronSchedule schedule() {
    return CronSchedule.parse(cron, ZoneId.of(timeZone));
  }
}
