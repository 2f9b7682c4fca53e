package dev.holdfast.resource.backup;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/**
 * The resources of the cluster at a target, with the names of the backups of its volumes. A system
 * backup that a scan of the target found has the label {@link Backup#DISCOVERED_LABEL}. Such a
 * resource is a cache entry, and its deletion alone deletes nothing at the target.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record SystemBackup(ObjectMeta metadata, SystemBackupSpec spec, SystemBackupStatus status)
    implements Resource<SystemBackup> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<SystemBackup> KIND =
      new ResourceKind<>(
          "SystemBackup",
          "systembackups",
          List.of("hfsb"),
          SystemBackup.class,
          "The resources of the cluster at a target, with the names of the backups of its volumes.",
          List.of(
              ResourceKind.Column.of("State", "string", ".status.state", "State of the backup."),
              ResourceKind.Column.of(
                  "Items", "integer", ".status.items", "Number of resources in it."),
              ResourceKind.Column.of(
                  "Volumes", "integer", ".status.volumes", "Volumes in it that have a backup."),
              ResourceKind.Column.wide(
                  "Target", "string", ".spec.backupTargetName", "Target that keeps it.")));

  /**
   * Label of a volume's backup that was made for a system backup: the name of the system backup.
   */
  public static final String LABEL = "holdfast.dev/system-backup";

  /** Replaces null components by empty values. */
  public SystemBackup {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, SystemBackupSpec.EMPTY);
    status = Defaults.or(status, SystemBackupStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
  public static SystemBackup of(String name, SystemBackupSpec spec) {
    return new SystemBackup(ObjectMeta.named(name), spec, SystemBackupStatus.EMPTY);
  }

  @Override
  public ResourceKind<SystemBackup> resourceKind() {
    return KIND;
  }

  @Override
  public SystemBackup withMetadata(ObjectMeta newMetadata) {
    return new SystemBackup(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public SystemBackup withSpec(SystemBackupSpec newSpec) {
    return new SystemBackup(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public SystemBackup withStatus(SystemBackupStatus newStatus) {
    return new SystemBackup(metadata, spec, newStatus);
  }

  @Override
  public SystemBackup withSpecOf(SystemBackup other) {
    return withSpec(other.spec());
  }

  @Override
  public SystemBackup withStatusOf(SystemBackup other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate(metadata);
  }

  @Override
  public List<FieldError> validateChange(SystemBackup earlier) {
    return spec.validateChange(earlier.spec());
  }

  /**
   * Returns whether a scan of the target found the system backup, so that another cluster may have
   * made it.
   */
  public boolean isDiscovered() {
    return metadata.labels().containsKey(Backup.DISCOVERED_LABEL);
  }

  /** Returns whether the system has no more work for the system backup until its deletion. */
  public boolean isFinal() {
    return switch (status.state()) {
      case NONE, VOLUME_BACKUPS, UPLOADING -> false;
      case READY -> true;
      case ERROR -> status.nextAttemptAt().isEmpty();
    };
  }
}
