package dev.holdfast.resource.backup;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/**
 * The creation of the resources of a system backup in this cluster. Existing resources except
 * settings stay unchanged.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record SystemRestore(ObjectMeta metadata, SystemRestoreSpec spec, SystemRestoreStatus status)
    implements Resource<SystemRestore> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<SystemRestore> KIND =
      new ResourceKind<>(
          "SystemRestore",
          "systemrestores",
          List.of("hfsr"),
          SystemRestore.class,
          "The creation of the resources of a system backup in this cluster.",
          List.of(
              ResourceKind.Column.of(
                  "Backup", "string", ".spec.systemBackup", "System backup that is restored."),
              ResourceKind.Column.of("State", "string", ".status.state", "State of the restore."),
              ResourceKind.Column.of(
                  "Pending",
                  "integer",
                  ".status.pendingVolumes",
                  "Restored volumes whose content is incomplete."),
              ResourceKind.Column.wide(
                  "Target", "string", ".spec.backupTargetName", "Target that keeps the backup.")));

  /** Annotation of a resource that a system restore created or changed: the uid of the restore. */
  public static final String ANNOTATION = "holdfast.dev/system-restore";

  /** Replaces null components by empty values. */
  public SystemRestore {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, SystemRestoreSpec.EMPTY);
    status = Defaults.or(status, SystemRestoreStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
  public static SystemRestore of(String name, SystemRestoreSpec spec) {
    return new SystemRestore(ObjectMeta.named(name), spec, SystemRestoreStatus.EMPTY);
  }

  @Override
  public ResourceKind<SystemRestore> resourceKind() {
    return KIND;
  }

  @Override
  public SystemRestore withMetadata(ObjectMeta newMetadata) {
    return new SystemRestore(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public SystemRestore withSpec(SystemRestoreSpec newSpec) {
    return new SystemRestore(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public SystemRestore withStatus(SystemRestoreStatus newStatus) {
    return new SystemRestore(metadata, spec, newStatus);
  }

  @Override
  public SystemRestore withSpecOf(SystemRestore other) {
    return withSpec(other.spec());
  }

  @Override
  public SystemRestore withStatusOf(SystemRestore other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate();
  }

  @Override
  public List<FieldError> validateChange(SystemRestore earlier) {
    return spec.validateChange(earlier.spec());
  }

  /** Returns whether the system has no more work for the restore. */
  public boolean isFinal() {
    return switch (status.state()) {
      case NONE, IN_PROGRESS -> false;
      case COMPLETED -> true;
      case ERROR -> status.nextAttemptAt().isEmpty();
    };
  }
}
