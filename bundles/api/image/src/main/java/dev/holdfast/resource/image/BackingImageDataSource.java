package dev.holdfast.resource.image;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;
import java.util.Optional;

/**
 * The transfer that brings a backing image into the cluster.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record BackingImageDataSource(
    ObjectMeta metadata, BackingImageDataSourceSpec spec, BackingImageDataSourceStatus status)
    implements Resource<BackingImageDataSource> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<BackingImageDataSource> KIND =
      new ResourceKind<>(
          "BackingImageDataSource",
          "backingimagedatasources",
          List.of("hfbids"),
          BackingImageDataSource.class,
          "The transfer that brings a backing image into the cluster.",
          List.of(
              ResourceKind.Column.of(
                  "Source", "string", ".spec.sourceType", "Where the image comes from."),
              ResourceKind.Column.of(
                  "State", "string", ".status.currentState", "State of the transfer."),
              ResourceKind.Column.of(
                  "Progress",
                  "integer",
                  ".status.progress",
                  "Percentage of the bytes that have arrived."),
              ResourceKind.Column.of("Node", "string", ".spec.nodeID", "The node that transfers."),
              ResourceKind.Column.wide(
                  "Message", "string", ".status.message", "Cause of a failure.")));

  /** Finalizer that the node removes after it has removed the partial file. */
  public static final String FINALIZER = "holdfast.dev/backing-image-data-source";

  /** Replaces null components by empty values. */
  public BackingImageDataSource {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, BackingImageDataSourceSpec.EMPTY);
    status = Defaults.or(status, BackingImageDataSourceStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
  public static BackingImageDataSource of(String name, BackingImageDataSourceSpec spec) {
    return new BackingImageDataSource(
        ObjectMeta.named(name), spec, BackingImageDataSourceStatus.EMPTY);
  }

  @Override
  public ResourceKind<BackingImageDataSource> resourceKind() {
    return KIND;
  }

  @Override
  public BackingImageDataSource withMetadata(ObjectMeta newMetadata) {
    return new BackingImageDataSource(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public BackingImageDataSource withSpec(BackingImageDataSourceSpec newSpec) {
    return new BackingImageDataSource(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public BackingImageDataSource withStatus(BackingImageDataSourceStatus newStatus) {
    return new BackingImageDataSource(metadata, spec, newStatus);
  }

  /** Returns the volume that the transfer reads; empty if it reads none or has ended. */
  public Optional<String> neededVolume() {
    boolean failed = status.currentState() == ImageState.FAILED && status.nextAttemptAt().isEmpty();
    boolean over =
        failed || spec.fileTransferred() || status.currentState() == ImageState.READY_FOR_TRANSFER;
    return over || isBeingDeleted() ? Optional.empty() : spec.exportedVolume();
  }

  @Override
  public BackingImageDataSource withSpecOf(BackingImageDataSource other) {
    return withSpec(other.spec());
  }

  @Override
  public BackingImageDataSource withStatusOf(BackingImageDataSource other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate();
  }

  @Override
  public List<FieldError> validateChange(BackingImageDataSource earlier) {
    return spec.validateChange(earlier.spec());
  }
}
