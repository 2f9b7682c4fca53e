package dev.holdfast.resource.backup;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/**
 * A place outside the cluster that keeps backups.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record BackupTarget(ObjectMeta metadata, BackupTargetSpec spec, BackupTargetStatus status)
    implements Resource<BackupTarget> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<BackupTarget> KIND =
      new ResourceKind<>(
          "BackupTarget",
          "backuptargets",
          List.of("hfbt"),
          BackupTarget.class,
          "A place outside the cluster that keeps backups.",
          List.of(
              ResourceKind.Column.of(
                  "URL", "string", ".spec.backupTargetURL", "Address of the target."),
              ResourceKind.Column.of(
                  "Available",
                  "boolean",
                  ".status.available",
                  "Whether the target answered the last time."),
              ResourceKind.Column.wide(
                  "Synced",
                  "date",
                  ".status.lastSyncedAt",
                  "Time of the last complete scan of the target.")));

  /** Name of the target that is used where no target is named. */
  public static final String DEFAULT_NAME = "default";

  /** Condition that reports whether the target answers. */
  public static final String AVAILABLE_CONDITION = "Available";

  /** Condition of targets and of their volumes that reports whether the last scan was complete. */
  public static final String SYNCED_CONDITION = "Synced";

  /** Replaces null components by empty values. */
  public BackupTarget {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, BackupTargetSpec.EMPTY);
    status = Defaults.or(status, BackupTargetStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
  public static BackupTarget of(String name, BackupTargetSpec spec) {
    return new BackupTarget(ObjectMeta.named(name), spec, BackupTargetStatus.EMPTY);
  }

  @Override
  public ResourceKind<BackupTarget> resourceKind() {
    return KIND;
  }

  @Override
  public BackupTarget withMetadata(ObjectMeta newMetadata) {
    return new BackupTarget(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public BackupTarget withSpec(BackupTargetSpec newSpec) {
    return new BackupTarget(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public BackupTarget withStatus(BackupTargetStatus newStatus) {
    return new BackupTarget(metadata, spec, newStatus);
  }

  @Override
  public BackupTarget withSpecOf(BackupTarget other) {
    return withSpec(other.spec());
  }

  @Override
  public BackupTarget withStatusOf(BackupTarget other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate(metadata);
  }

  @Override
  public List<FieldError> validateChange(BackupTarget earlier) {
    return spec.validateChange(earlier.spec());
  }

  /** Returns why the target does not answer, empty if it answers or was not checked yet. */
  public String obstacle() {
    return Condition.find(status.conditions(), AVAILABLE_CONDITION)
        .filter(condition -> condition.status() != Condition.Status.TRUE)
        .map(Condition::message)
        .orElse("");
  }

  /** Returns why the last scan failed, empty if it succeeded or the target was never scanned. */
  public String syncObstacle() {
    return Condition.find(status.conditions(), SYNCED_CONDITION)
        .filter(condition -> condition.status() != Condition.Status.TRUE)
        .map(Condition::message)
        .orElse("");
  }
}
