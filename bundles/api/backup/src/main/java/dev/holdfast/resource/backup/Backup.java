package dev.holdfast.resource.backup;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * A backup of a volume at a target. A backup that a scan of the target found has the label {@link
 * #DISCOVERED_LABEL}. Such a resource is a cache entry, and its deletion alone deletes nothing at
 * the target.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record Backup(ObjectMeta metadata, BackupSpec spec, BackupStatus status)
    implements Resource<Backup> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<Backup> KIND =
      new ResourceKind<>(
          "Backup",
          "backups",
          List.of("hfb"),
          Backup.class,
          "A backup of a volume at a target.",
          List.of(
              ResourceKind.Column.of("Volume", "string", ".spec.volume", "Volume that it holds."),
              ResourceKind.Column.of("State", "string", ".status.state", "State of the backup."),
              ResourceKind.Column.of(
                  "Progress", "integer", ".status.progress", "Percent that is written."),
              ResourceKind.Column.of(
                  "Size", "string", ".status.size", "Bytes in its blocks before compression."),
              ResourceKind.Column.wide(
                  "Uploaded",
                  "string",
                  ".status.newlyUploadedDataSize",
                  "Bytes that were sent for it."),
              ResourceKind.Column.wide(
                  "Target", "string", ".spec.backupTargetName", "Target that keeps it.")));

  /** Keeps the resource until the backup is deleted at its target. */
  public static final String FINALIZER = "holdfast.dev/backup-data";

  /** Label of a backup that a scan of its target found: the name of its BackupVolume. */
  public static final String DISCOVERED_LABEL = "holdfast.dev/discovered";

  /** Label of a snapshot that is taken for a backup: the backup's name. */
  public static final String SNAPSHOT_LABEL = "holdfast.dev/backup";

  /**
   * Label of a snapshot whose backup was replaced by a newer one: the newer backup, which keeps the
   * volume attached until the engine has removed the snapshot.
   */
  public static final String REPLACED_BY_LABEL = "holdfast.dev/replaced-by-backup";

  /**
   * Order in which the backups of a volume at a target were completed. Times decide only between
   * backups without a number, because a clock may be set back.
   */
  public static final Comparator<Backup> COMPLETION_ORDER =
      Comparator.comparingLong((Backup backup) -> backup.status().completion())
          .thenComparing(backup -> backup.status().backupCreatedAt().orElse(Instant.EPOCH))
          .thenComparing(Backup::name);

  /** Replaces null components by empty values. */
  public Backup {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, BackupSpec.EMPTY);
    status = Defaults.or(status, BackupStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
  public static Backup of(String name, BackupSpec spec) {
    return new Backup(ObjectMeta.named(name), spec, BackupStatus.EMPTY);
  }

  @Override
  public ResourceKind<Backup> resourceKind() {
    return KIND;
  }

  @Override
  public Backup withMetadata(ObjectMeta newMetadata) {
    return new Backup(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public Backup withSpec(BackupSpec newSpec) {
    return new Backup(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public Backup withStatus(BackupStatus newStatus) {
    return new Backup(metadata, spec, newStatus);
  }

  @Override
  public Backup withSpecOf(Backup other) {
    return withSpec(other.spec());
  }

  @Override
  public Backup withStatusOf(Backup other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate(metadata);
  }

  @Override
  public List<FieldError> validateChange(Backup earlier) {
    return spec.validateChange(earlier.spec());
  }

  /**
   * Returns whether a scan of the target found the backup, so that another cluster may have made
   * it.
   */
  public boolean isDiscovered() {
    return metadata.labels().containsKey(DISCOVERED_LABEL);
  }

  /** Returns the name of the backup at its target, never empty. */
  public String nameAtTarget() {
    return spec.nameAtTarget().isEmpty() ? metadata.name() : spec.nameAtTarget();
  }

  /**
   * Returns whether the backup was complete at its target. It may have been deleted there since.
   */
  public boolean wasCompleted() {
    return !status.url().isEmpty();
  }

  /** Returns whether a requested verification is not complete. */
  public boolean awaitsVerification() {
    return !spec.verifyRequest().isEmpty()
        && !spec.verifyRequest().equals(status.verification().request())
        && status.state() == BackupState.COMPLETED
        && !isBeingDeleted();
  }

  /** Returns whether the spec requests an export and the backup is complete. */
  public boolean isToBeExported() {
    return spec.exported() && status.state() == BackupState.COMPLETED && !isBeingDeleted();
  }

  /** Returns whether the system has no more work for the backup until its deletion. */
  public boolean isFinal() {
    return switch (status.state()) {
      case NONE, IN_PROGRESS -> false;
      case COMPLETED -> true;
      case ERROR -> status.nextAttemptAt().isEmpty();
    };
  }

  /** Returns whether the volume must be attached, so that its snapshot can be read. */
  public boolean needsEngine() {
    return status.state() == BackupState.IN_PROGRESS && !isBeingDeleted();
  }
}
