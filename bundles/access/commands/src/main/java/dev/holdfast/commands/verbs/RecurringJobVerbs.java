package dev.holdfast.commands.verbs;

import dev.holdfast.client.RecurringJobs;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.RecurringJobViews;
import dev.holdfast.commands.verbs.VerbOption.Presence;
import dev.holdfast.commands.verbs.VerbOption.Repetition;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.MissedRuns;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringJobSpec;
import dev.holdfast.resource.backup.VolumeBackupPolicy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The verbs {@code recurring-job …}: snapshots and backups on a schedule. */
final class RecurringJobVerbs {
  private static final VerbArgument<String> NEW_NAME =
      VerbArgument.of("NAME", String.class, Candidates.NONE, "The job's name.");
  private static final VerbArgument<String> NAME =
      VerbArgument.of("NAME", String.class, Candidates.JOBS, "The job's name.");
  private static final VerbOption<String> TASK =
      VerbOption.of(
              "--task",
              "TASK",
              String.class,
              "Work for each volume: snapshot or backup, both only after changes;"
                  + " snapshot-force-create, backup-force-create, snapshot-delete, "
                  + "snapshot-cleanup,"
                  + " backup-verify, filesystem-trim; system-backup for the cluster.")
          .given(Presence.REQUIRED);
  private static final VerbOption<String> CRON =
      VerbOption.of(
              "--cron",
              "TIMES",
              String.class,
              "Minute, hour, day of month, month and day of week, for example '0 3 * * *', or"
                  + " @hourly.")
          .given(Presence.REQUIRED);
  private static final VerbOption<Integer> RETAIN =
      VerbOption.of(
              "--retain",
              "N",
              Integer.class,
              "How many of its snapshots or backups are kept for each volume; with backup-verify,"
                  + " how many are verified.")
          .given(Presence.REQUIRED);
  private static final VerbOption<String> TIME_ZONE =
      VerbOption.of(
          "--time-zone",
          "ZONE",
          String.class,
          "Time zone of the times, for example Europe/Berlin. Default: UTC.");
  private static final VerbOption<String> GROUP =
      VerbOption.of(
              "--group",
              "GROUP",
              String.class,
              "Groups of volumes that the job serves; default for volumes without a job and a"
                  + " group.")
          .times(Repetition.LIST);
  private static final VerbOption<String> TARGET =
      VerbOption.of("--target", "TARGET", String.class, "Target of backups. Default: default.");
  private static final VerbOption<Integer> CONCURRENCY =
      VerbOption.of(
          "--concurrency",
          "N",
          Integer.class,
          "Number of volumes that a run processes at the same time. Default: 10.");
  private static final VerbOption<Integer> FULL_INTERVAL =
      VerbOption.of(
          "--full-interval",
          "N",
          Integer.class,
          "Each Nth backup sends all blocks again. Default: none.");
  private static final VerbOption<VolumeBackupPolicy> VOLUME_BACKUPS =
      VerbOption.of(
          "--volume-backups",
          "WHICH",
          VolumeBackupPolicy.class,
          "With system-backup, the volumes that are backed up first: if-not-present, always or"
              + " disabled. Default: if-not-present.");
  private static final VerbOption<Integer> DEADLINE =
      VerbOption.of(
          "--deadline",
          "SECONDS",
          Integer.class,
          "A run that cannot begin within this time is left out. Default: no limit.");
  private static final VerbOption<Boolean> SKIP_MISSED =
      VerbOption.flag("--skip-missed", "Never repeat a run that could not begin in time.");

  static final List<Verb> ALL =
      List.of(
          new Verb(
              "recurring-job create",
              List.of(NEW_NAME),
              List.of(
                  TASK,
                  CRON,
                  RETAIN,
                  TIME_ZONE,
                  GROUP,
                  TARGET,
                  CONCURRENCY,
                  FULL_INTERVAL,
                  VOLUME_BACKUPS,
                  DEADLINE,
                  SKIP_MISSED),
              "Make snapshots or backups by a schedule.",
              RecurringJobVerbs::create),
          new Verb(
              "recurring-job list",
              List.of(),
              List.of(),
              "Show all jobs with the times of their last and next runs.",
              call -> views().jobs(jobs(call).list())),
          new Verb(
              "recurring-job get",
              List.of(NAME),
              List.of(),
              "Show one job, its volumes and its errors; with -o json the resource itself.",
              RecurringJobVerbs::get),
          new Verb(
              "recurring-job add",
              List.of(NAME, Common.VOLUME),
              List.of(),
              "Let a volume select a job.",
              call -> select(call, true)),
          new Verb(
              "recurring-job remove",
              List.of(NAME, Common.VOLUME),
              List.of(),
              "Let a volume no longer select a job; groups are left as they are.",
              call -> select(call, false)),
          new Verb(
              "recurring-job suspend",
              List.of(NAME),
              List.of(),
              "Suspend a job; the runs that it misses are not repeated.",
              call -> views().changed(jobs(call).suspend(call.get(NAME), true), "is suspended")),
          new Verb(
              "recurring-job resume",
              List.of(NAME),
              List.of(),
              "Resume a suspended job.",
              call -> views().changed(jobs(call).suspend(call.get(NAME), false), "is resumed")),
          new Verb(
              "recurring-job delete",
              List.of(NAME),
              List.of(),
              "Delete a job; the snapshots and backups that it made stay.",
              RecurringJobVerbs::delete));

  private RecurringJobVerbs() {}

  private static Output create(VerbCall call) throws StorageException {
    RecurringJobSpec defaults = RecurringJobSpec.EMPTY;
    RecurringJobSpec spec =
        defaults
            .withTask(call.value(TASK).orElse(""))
            .withCron(call.value(CRON).orElse(""))
            .withRetain(call.value(RETAIN).orElse(0))
            .withTimeZone(call.value(TIME_ZONE).orElse(defaults.timeZone()))
            .withGroups(call.all(GROUP))
            .withBackupTargetName(call.value(TARGET).orElse(BackupTarget.DEFAULT_NAME))
            .withConcurrency(call.value(CONCURRENCY).orElse(defaults.concurrency()))
            .withStartingDeadlineSeconds(call.value(DEADLINE).orElse(0))
            .withMissedRuns(call.has(SKIP_MISSED) ? MissedRuns.SKIP : MissedRuns.ONCE)
            .withParameters(parameters(call));
    return views().changed(jobs(call).create(call.get(NEW_NAME), spec), "is created");
  }

  private static Map<String, String> parameters(VerbCall call) {
    Map<String, String> parameters = new HashMap<>();
    call.value(FULL_INTERVAL)
        .ifPresent(n -> parameters.put(RecurringJobSpec.FULL_BACKUP_INTERVAL, n.toString()));
    call.value(VOLUME_BACKUPS)
        .ifPresent(
            which -> parameters.put(RecurringJobSpec.VOLUME_BACKUP_POLICY, which.toString()));
    return parameters;
  }

  private static Output get(VerbCall call) throws StorageException {
    RecurringJob job = jobs(call).get(call.get(NAME));
    return views().job(job, jobs(call).volumes(job));
  }

  private static Output select(VerbCall call, boolean selected) throws StorageException {
    jobs(call).select(call.get(NAME), call.get(Common.VOLUME), selected);
    return views().selected(call.get(NAME), call.get(Common.VOLUME), selected);
  }

  private static Output delete(VerbCall call) throws StorageException {
    jobs(call).delete(call.get(NAME));
    return views().deleted(call.get(NAME));
  }

  private static RecurringJobs jobs(VerbCall call) throws StorageException {
    return new RecurringJobs(call.context().store());
  }

  private static RecurringJobViews views() {
    return new RecurringJobViews();
  }
}
