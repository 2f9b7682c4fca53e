package dev.holdfast.commands;

import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringTask;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.ResourceList;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Formats recurring jobs for output. Times are in UTC. */
public final class RecurringJobViews {
  private final ResourceJson json = new ResourceJson();

  /** Shows all jobs. */
  public Output jobs(ResourceList<RecurringJob> jobs) {
    return new Output(
        () -> table(jobs),
        () -> json.listTree(RecurringJob.KIND, jobs.items(), jobs.resourceVersion()));
  }

  private static String table(ResourceList<RecurringJob> jobs) {
    Table table =
        new Table("NAME", "TASK", "CRON", "TIME ZONE", "GROUPS", "RETAIN", "LAST", "NEXT");
    for (RecurringJob job : jobs.items()) {
      table.row(
          job.name(),
          job.spec().task(),
          job.spec().cron(),
          job.spec().timeZone(),
          String.join(",", job.spec().groups()),
          job.spec().retain(),
          time(job.status().lastScheduledAt()),
          next(job));
    }
    return table.orIfEmpty(
        "No recurring jobs. Make one: holdfast recurring-job create NAME --task backup --cron"
            + " '0 3 * * *' --retain 7 --group default");
  }

  private static String time(Optional<Instant> time) {
    return time.map(Instant::toString).orElse("");
  }

  private static String next(RecurringJob job) {
    return job.spec().suspend() ? "suspended" : time(job.status().nextScheduledAt());
  }

  /**
   * Shows one job.
   *
   * @param volumes names of the volumes that it serves
   */
  public Output job(RecurringJob job, List<String> volumes) {
    return new Output(() -> details(job, volumes), () -> json.tree(job));
  }

  private static String details(RecurringJob job, List<String> volumes) {
    Table table = new Table("RECURRING JOB", job.name());
    table.row("task", job.spec().task());
    table.row("cron", job.spec().cron() + " (" + job.spec().timeZone() + ")");
    table.row("groups", String.join(", ", job.spec().groups()));
    table.row("volumes", String.join(", ", volumes));
    table.row("retain", job.spec().retain());
    table.row("concurrency", job.spec().concurrency());
    if (RecurringTask.of(job.spec().task()).filter(RecurringTask::needsTarget).isPresent()) {
      table.row("target", job.spec().backupTargetName());
    }
    table.row("missed runs", job.spec().missedRuns());
    table.row("last run", time(job.status().lastScheduledAt()));
    table.row("last success", time(job.status().lastSucceededAt()));
    table.row("next run", next(job));
    table.row("working on", String.join(", ", job.status().active()));
    table.row("waiting", String.join(", ", job.status().pending()));
    job.status().lastErrors().forEach(error -> table.row("error", error));
    job.status().lastSkipped().forEach(reason -> table.row("skipped", reason));
    return table.toString();
  }

  /**
   * Shows a changed job.
   *
   * @param change the change, for example {@code is created}
   */
  public Output changed(RecurringJob job, String change) {
    return new Output(() -> "recurring job " + job.name() + " " + change, () -> json.tree(job));
  }

  /** Shows a job that was deleted. */
  public Output deleted(String name) {
    return new Output(
        () -> "recurring job " + name + " is deleted",
        () -> json.mapper().createObjectNode().put("deleted", name));
  }

  /** Shows whether a volume selects a job. */
  public Output selected(String name, String volume, boolean selected) {
    return new Output(
        () ->
            "volume "
                + volume
                + (selected ? " selects recurring job " : " no longer selects recurring job ")
                + name,
        () -> json.mapper().createObjectNode().put(selected ? "selected" : "removed", name));
  }
}
