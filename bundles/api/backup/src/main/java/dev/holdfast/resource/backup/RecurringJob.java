package dev.holdfast.resource.backup;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;
import java.util.Map;

/**
 * A task that is run on a schedule, for volumes or for the whole cluster.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record RecurringJob(ObjectMeta metadata, RecurringJobSpec spec, RecurringJobStatus status)
    implements Resource<RecurringJob> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<RecurringJob> KIND =
      new ResourceKind<>(
          "RecurringJob",
          "recurringjobs",
          List.of("hfrj"),
          RecurringJob.class,
          "Work that is done for volumes by a schedule.",
          List.of(
              ResourceKind.Column.of("Task", "string", ".spec.task", "Work for each volume."),
              ResourceKind.Column.of("Cron", "string", ".spec.cron", "Times of the runs."),
              ResourceKind.Column.of(
                  "Retain", "integer", ".spec.retain", "Number kept for each volume."),
              ResourceKind.Column.of(
                  "Suspended", "boolean", ".spec.suspend", "Whether no run begins."),
              ResourceKind.Column.of(
                  "Last", "date", ".status.lastScheduledAt", "Time of the last run."),
              ResourceKind.Column.wide(
                  "Succeeded",
                  "date",
                  ".status.lastSucceededAt",
                  "Time of the last run that succeeded."),
              ResourceKind.Column.wide(
                  "Time zone", "string", ".spec.timeZone", "Time zone of the times.")));

  /** Group of the volumes that select neither a job nor a group. */
  public static final String DEFAULT_GROUP = "default";

  /** Label of a snapshot or backup that a job made: the job's name. */
  public static final String LABEL = "holdfast.dev/recurring-job";

  /** Label of a snapshot that the job keeps only if the volume has changed: the job's name. */
  public static final String CHECK_LABEL = "holdfast.dev/recurring-job-check";

  /** Annotation of a snapshot or backup that a job made: the time of the run. */
  public static final String SCHEDULED_AT_ANNOTATION = "holdfast.dev/scheduled-at";

  /**
   * Annotation of a snapshot or backup that a job made: the number of the run. The number orders
   * the runs even if the clock was set back.
   */
  public static final String RUN_ANNOTATION = "holdfast.dev/recurring-run";

  /** Label that Longhorn stores with the backups of a job: the job's name. */
  public static final String LONGHORN_LABEL = "RecurringJob";

  /** Value of the labels with which volumes select jobs and groups. */
  public static final String ENABLED = "enabled";

  /** Label of a claim whose labels select the jobs of its volume; its value is {@code enabled}. */
  public static final String SOURCE_LABEL = "recurring-job.holdfast.dev/source";

  private static final String JOB_PREFIX = "recurring-job.holdfast.dev/";
  private static final String GROUP_PREFIX = "recurring-job-group.holdfast.dev/";

  /** Replaces null components by empty values. */
  public RecurringJob {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, RecurringJobSpec.EMPTY);
    status = Defaults.or(status, RecurringJobStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
  public static RecurringJob of(String name, RecurringJobSpec spec) {
    return new RecurringJob(ObjectMeta.named(name), spec, RecurringJobStatus.EMPTY);
  }

  @Override
  public ResourceKind<RecurringJob> resourceKind() {
    return KIND;
  }

  @Override
  public RecurringJob withMetadata(ObjectMeta newMetadata) {
    return new RecurringJob(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public RecurringJob withSpec(RecurringJobSpec newSpec) {
    return new RecurringJob(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public RecurringJob withStatus(RecurringJobStatus newStatus) {
    return new RecurringJob(metadata, spec, newStatus);
  }

  @Override
  public RecurringJob withSpecOf(RecurringJob other) {
    return withSpec(other.spec());
  }

  @Override
  public RecurringJob withStatusOf(RecurringJob other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate(metadata);
  }

  @Override
  public List<FieldError> validateChange(RecurringJob earlier) {
    return spec.validateChange(earlier.spec());
  }

  /** Returns the label with which a volume selects a job; its value is {@code enabled}. */
  public static String jobLabel(String job) {
    return JOB_PREFIX + job;
  }

  /** Returns the label with which a volume joins a group; its value is {@code enabled}. */
  public static String groupLabel(String group) {
    return GROUP_PREFIX + group;
  }

  /**
   * Returns whether the job serves a volume with these labels.
   *
   * @param labels of the volume, not null
   */
  public boolean selects(Map<String, String> labels) {
    if (isEnabled(labels, jobLabel(name()))) {
      return true;
    }
    boolean selected =
        spec.groups().stream().anyMatch(group -> isEnabled(labels, groupLabel(group)));
    return selected || (spec.groups().contains(DEFAULT_GROUP) && selectsNothing(labels));
  }

  private static boolean isEnabled(Map<String, String> labels, String label) {
    return ENABLED.equals(labels.get(label));
  }

  private static boolean selectsNothing(Map<String, String> labels) {
    return labels.entrySet().stream()
        .filter(label -> label.getValue().equals(ENABLED))
        .map(Map.Entry::getKey)
        .noneMatch(RecurringJob::isSelection);
  }

  /**
   * Returns whether a label selects a job or a group of jobs.
   *
   * @param label key of the label, not null
   */
  public static boolean isSelection(String label) {
    return !label.equals(SOURCE_LABEL)
        && (label.startsWith(JOB_PREFIX) || label.startsWith(GROUP_PREFIX));
  }
}
