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
 * @param spec wanted state
 * @param status observed state
 */
public record Volume(ObjectMeta metadata, VolumeSpec spec, VolumeStatus status)
    implements Resource<Volume> {
  /** Names, Java type and printed columns of the kind. */
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

  /** Finalizer that the volume controller removes after it has removed all parts of the volume. */
  public static final String FINALIZER = "holdfast.dev/volume";

  /**
   * Annotation with the node whose workload needs the volume. A replica is preferably placed there.
   */
  public static final String EXPECTED_ON_ANNOTATION = "holdfast.dev/expected-on";

  /** Annotation of a volume whose import is not finished: the imported file. */
  public static final String IMPORT_UNFINISHED_ANNOTATION = "holdfast.dev/import-unfinished";

  /** Condition that reports whether every replica has a disk. */
  public static final String SCHEDULED_CONDITION = "Scheduled";

  /** Condition that reports whether the backing image is usable; absent on volumes without one. */
  public static final String BACKING_IMAGE_READY_CONDITION = "BackingImageReady";

  /** Condition that reports whether every replica was provisioned. */
  public static final String PROVISIONED_CONDITION = Replica.PROVISIONED_CONDITION;

  /** Condition that reports whether the engine serves on the wanted node. */
  public static final String ENGINE_READY_CONDITION = "EngineReady";

  /** Reason of an engine that does not run at present on its node. */
  public static final String NOT_RUNNING_REASON = "NotRunning";

  /** Condition that reports whether the device has the wanted size. */
  public static final String EXPANDED_CONDITION = "Expanded";

  /** Reason of an expansion in progress. */
  public static final String EXPANDING_REASON = "Expanding";

  /**
   * Condition that reports whether the content is unavailable, because none of the replicas is
   * known to hold it.
   */
  public static final String FAULTED_CONDITION = "Faulted";

  /** Condition that reports the progress of a live migration. */
  public static final String MIGRATION_CONDITION = "Migration";

  /** Condition that reports whether the lag of a standby volume is within its limit. */
  public static final String STANDBY_CURRENT_CONDITION = "StandbyCurrent";

  /**
   * Prefix of the result of a trim that found no mounted filesystem.
   *
   * @since 1.1
   */
  public static final String TRIM_SKIPPED = "skipped: ";

  /** Condition that reports whether every attachment ticket is satisfied. */
  public static final String TICKETS_SATISFIED_CONDITION = "TicketsSatisfied";

  /**
   * The progress of a volume's first content, from any source.
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

    /**
     * Returns whether regions are being copied, so that the volume is opened with incomplete
     * content.
     */
    public boolean isCopied() {
      return state == CloneState.INITIATED && regionSize.bytes() > 0;
    }

    /**
     * Returns the copied part of the content in percent, from 0 to 100; 0 until the source is
     * known.
     */
    public int percent() {
      long size = regionSize.bytes();
      long regions = size == 0 ? 0 : (copySize.bytes() + size - 1) / size;
      long copied = BitSet.valueOf(Base64.getDecoder().decode(copiedRegions)).cardinality();
      return regions == 0 ? 0 : (int) (100 * copied / regions);
    }
  }

  /** Replaces null components by empty values. */
  public Volume {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, VolumeSpec.EMPTY);
    status = Defaults.or(status, VolumeStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
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
   * Returns whether an engine serves this volume.
   *
   * @param engine of any volume, not null
   * @return whether {@code status.activeEngine} names the engine; if the status names none, whether
   *     it is an engine of this volume, because volumes stored before that field have one engine
   */
  public boolean follows(Engine engine) {
    return engine.spec().volume().equals(name())
        && (status.activeEngine().isEmpty() || status.activeEngine().equals(engine.name()));
  }

  /**
   * Returns the progress of the first content; empty for a volume without a source.
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
   * Returns whether the volume is usable on the copying node during the copy of its first content.
   * A volume that is restored is usable if its restore is lazy.
   */
  public boolean isUsableWhileCopied() {
    return (spec.cloneSource().isPresent() || spec.restoreMode() == RestoreMode.LAZY)
        && isBeingCopied();
  }

  /**
   * Returns whether the volume follows the backups of another one, so that clients may not use it.
   * This ends with the completed activation, not with the reset of {@code spec.standby}.
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
   * Returns whether a partly applied backup must be reverted, so that further parts must not be
   * applied.
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

  /** Returns whether the system may still set the image below the volume. */
  private boolean mayGetImage() {
    boolean undescribed =
        !spec.fromBackup().isEmpty()
            && spec.backingImage().isEmpty()
            && (status.restore().state() == CloneState.NONE
                || status.restore().state() == CloneState.FAILED);
    return undescribed || sharesContent();
  }

  /**
   * Returns whether the volume is a clone whose replicas share, or should share, content with those
   * of its source.
   */
  private boolean sharesContent() {
    return spec.cloneSource().isPresent()
        && switch (status.cloneStatus().method()) {
          case LINK, UNLINK -> true;
          case UNDECIDED, COPY -> false;
        };
  }
}
