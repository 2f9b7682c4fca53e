package dev.holdfast.resource.volume;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.restore.RestoreMode;
import dev.holdfast.resource.restore.StandbyState;
import java.util.Base64;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * A block device that an engine stores and a frontend serves to hosts.
 *
 * @param metadata name and bookkeeping
 * @param spec what is wanted
 * @param status what is observed
 */
public record Volume(ObjectMeta metadata, VolumeSpec spec, VolumeStatus status)
    implements Resource<Volume> {
  /** The kind. */
  public static final ResourceKind<Volume> KIND =
      new ResourceKind<>(
          "Volume",
          "volumes",
          List.of("hfv"),
          Volume.class,
          "A block device that an engine stores and a frontend serves to hosts.",
          List.of(
              ResourceKind.Column.of("Size", "string", ".spec.size", "Size of the device."),
              ResourceKind.Column.of(
                  "State", "string", ".status.state", "State of the attachment to a node."),
              ResourceKind.Column.of(
                  "Robustness", "string", ".status.robustness", "Redundancy of the data."),
              ResourceKind.Column.of(
                  "Node", "string", ".status.currentNodeID", "The node it is attached to."),
              ResourceKind.Column.wide(
                  "Replicas", "integer", ".spec.numberOfReplicas", "Number of replicas wanted."),
              ResourceKind.Column.wide(
                  "Engine", "string", ".spec.dataEngine", "Engine that keeps the bytes."),
              ResourceKind.Column.wide(
                  "Endpoint", "string", ".status.endpoint", "URI for initiators.")));

  /** Label of the parts of a volume (engine, replicas, snapshots): the volume's name. */
  public static final String LABEL = "holdfast.dev/volume";

  /** Finalizer that the volume controller removes after all parts of the volume. */
  public static final String FINALIZER = "holdfast.dev/volume";

  /**
   * Annotation with the node for whose workload the volume is made: a replica is preferred there.
   */
  public static final String EXPECTED_ON_ANNOTATION = "holdfast.dev/expected-on";

  /** Annotation of a volume whose import is not finished: the imported file. */
  public static final String IMPORT_UNFINISHED_ANNOTATION = "holdfast.dev/import-unfinished";

  /** Condition that tells whether every replica has a place. */
  public static final String SCHEDULED_CONDITION = "Scheduled";

  /** Condition that tells whether the backing image can be used; volumes without one lack it. */
  public static final String BACKING_IMAGE_READY_CONDITION = "BackingImageReady";

  /** Condition that tells whether every replica was made. */
  public static final String PROVISIONED_CONDITION = Replica.PROVISIONED_CONDITION;

  /** Condition that tells whether the engine serves where the volume shall be attached. */
  public static final String ENGINE_READY_CONDITION = "EngineReady";

  /** Reason of an engine that does not run yet, or runs no more, on its node. */
  public static final String NOT_RUNNING_REASON = "NotRunning";

  /** Condition that tells whether the device has the wanted size. */
  public static final String EXPANDED_CONDITION = "Expanded";

  /** Reason of an expansion in progress. */
  public static final String EXPANDING_REASON = "Expanding";

  /** Condition that tells whether no replica is known to hold the content. */
  public static final String FAULTED_CONDITION = "Faulted";

  /** Condition that tells how far a live migration is. */
  public static final String MIGRATION_CONDITION = "Migration";

  /** Condition that tells whether a standby volume is not too far behind the volume it follows. */
  public static final String STANDBY_CURRENT_CONDITION = "StandbyCurrent";

  /**
   * Begins the result of a trim for which the node found no mounted filesystem.
   *
   * @since 1.1
   */
  public static final String TRIM_SKIPPED = "skipped: ";

  /** Condition that tells whether every attachment ticket is satisfied. */
  public static final String TICKETS_SATISFIED_CONDITION = "TicketsSatisfied";

  /**
   * The progress of a volume's first content, whichever its source is.
   *
   * @param state progress of the copy
   * @param copySize number of bytes to copy, from the beginning of the volume; 0 until the source
   *     is known
   * @param regionSize size of the regions in which the content is copied; 0 until the source is
   *     known
   * @param copiedRegions the regions that are copied, as a bit map in Base64
   * @since 1.1
   */
  public record ContentProgress(
      CloneState state, Quantity copySize, Quantity regionSize, String copiedRegions) {

    /** Returns whether the content is incomplete. */
    public boolean isAwaited() {
      return switch (state) {
        case NONE, INITIATED, FAILED -> true;
        case COPY_COMPLETED_AWAITING_HEALTHY, COMPLETED -> false;
      };
    }

    /** Returns whether regions are being copied, so that the volume is opened as incomplete. */
    public boolean isCopied() {
      return state == CloneState.INITIATED && regionSize.bytes() > 0;
    }

    /**
     * Returns how much of the content is copied, in percent, from 0 to 100; 0 until the source is
     * known.
     */
    public int percent() {
      long size = regionSize.bytes();
      long regions = size == 0 ? 0 : (copySize.bytes() + size - 1) / size;
      long copied = BitSet.valueOf(Base64.getDecoder().decode(copiedRegions)).cardinality();
      return regions == 0 ? 0 : (int) (100 * copied / regions);
    }
  }

  /** Replaces what is null by its empty value. */
  public Volume {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, VolumeSpec.EMPTY);
    status = Defaults.or(status, VolumeStatus.EMPTY);
  }

  /** A resource that is to be created. */
  public static Volume of(String name, VolumeSpec spec) {
    return new Volume(ObjectMeta.named(name), spec, VolumeStatus.EMPTY);
  }

  @Override
  public ResourceKind<Volume> resourceKind() {
    return KIND;
  }

  @Override
  public Volume withMetadata(ObjectMeta newMetadata) {
    return new Volume(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public Volume withSpec(VolumeSpec newSpec) {
    return new Volume(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public Volume withStatus(VolumeStatus newStatus) {
    return new Volume(metadata, spec, newStatus);
  }

  /**
   * Returns whether an engine is the one that serves this volume.
   *
   * @param engine of any volume, not null
   * @return whether {@code status.activeEngine} names it; while the status names none, whether it
   *     is an engine of this volume, because volumes stored before that field have one engine
   */
  public boolean follows(Engine engine) {
    return engine.spec().volume().equals(name())
        && (status.activeEngine().isEmpty() || status.activeEngine().equals(engine.name()));
  }

  /**
   * Returns the progress of the first content; empty for a volume that has no source of it.
   *
   * @since 1.1
   */
  public Optional<ContentProgress> contentProgress() {
    if (spec.cloneSource().isPresent()) {
      CloneStatus clone = status.cloneStatus();
      return Optional.of(
          new ContentProgress(
              clone.state(), clone.copySize(), clone.regionSize(), clone.copiedRegions()));
    }
    return spec.fromBackup().isEmpty() ? Optional.empty() : Optional.of(progress(status.restore()));
  }

  /**
   * Returns this volume with other regions recorded as copied, and without a message; the progress
   * of a restore follows.
   *
   * @param copiedRegions as in {@link ContentProgress}, not null
   * @since 1.1
   */
  public Volume withCopiedRegions(String copiedRegions) {
    if (spec.cloneSource().isPresent()) {
      return withStatus(
          status.withCloneStatus(
              status.cloneStatus().withCopiedRegions(copiedRegions).withMessage("")));
    }
    RestoreStatus restore = status.restore().withCopiedRegions(copiedRegions).withMessage("");
    return withStatus(status.withRestore(restore.withProgress(progress(restore).percent())));
  }

  private static ContentProgress progress(RestoreStatus restore) {
    return new ContentProgress(
        restore.state(), restore.copySize(), restore.regionSize(), restore.copiedRegions());
  }

  /** Returns whether the first content is incomplete. */
  public boolean awaitsContent() {
    return contentProgress().filter(ContentProgress::isAwaited).isPresent();
  }

  /**
   * Returns whether an engine may open the volume to copy its first content into it.
   *
   * @since 1.1
   */
  public boolean isBeingCopied() {
    return contentProgress().filter(ContentProgress::isCopied).isPresent();
  }

  /**
   * Returns whether the volume can be used, on the node that copies, while its first content is
   * being copied. A volume that is restored can if its restore is lazy.
   */
  public boolean isUsableWhileCopied() {
    return (spec.cloneSource().isPresent() || spec.restoreMode() == RestoreMode.LAZY)
        && isBeingCopied();
  }

  /**
   * Returns whether the volume follows the backups of another one, so that no client may reach it.
   * It does until its activation is complete, also after {@code spec.standby} was reset.
   *
   * @since 1.1
   */
  public boolean isStandby() {
    return switch (status.standby().state()) {
      case NONE -> spec.standby();
      case FOLLOWING, COMPLETING, REVERTING -> true;
      case ACTIVATED -> false;
    };
  }

  /**
   * Returns whether a backup that was applied in part is to be undone, so that no further part of
   * it may be applied.
   *
   * @since 1.1
   */
  public boolean isReverting() {
    return status.standby().state() == StandbyState.REVERTING;
  }

  @Override
  public Volume withSpecOf(Volume other) {
    return withSpec(other.spec());
  }

  @Override
  public Volume withStatusOf(Volume other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return new Checks()
        .all(spec.validate(metadata))
        .that(
            spec.backingImage().isEmpty() || spec.cloneSource().isEmpty() || sharesContent(),
            "spec.backingImage",
            spec.backingImage(),
            "must be empty with spec.cloneSource, because the content comes from there")
        .errors();
  }

  @Override
  public List<FieldError> validateChange(Volume earlier) {
    return new Checks()
        .all(spec.validateChange(earlier.spec(), earlier.status().currentSize()))
        .all(DeletionCondition.validateChange(spec, earlier))
        .immutable(
            earlier.mayGetImage() ? spec.backingImage() : earlier.spec().backingImage(),
            spec.backingImage(),
            "spec.backingImage")
        .errors();
  }

  /** Whether the system may still set the image below the volume. */
  private boolean mayGetImage() {
    boolean undescribed =
        !spec.fromBackup().isEmpty()
            && spec.backingImage().isEmpty()
            && (status.restore().state() == CloneState.NONE
                || status.restore().state() == CloneState.FAILED);
    return undescribed || sharesContent();
  }

  /** Whether it is a copy whose replicas are, or were to be, made of those of its source. */
  private boolean sharesContent() {
    return spec.cloneSource().isPresent()
        && switch (status.cloneStatus().method()) {
          case LINK, UNLINK -> true;
          case UNDECIDED, COPY -> false;
        };
  }
}
