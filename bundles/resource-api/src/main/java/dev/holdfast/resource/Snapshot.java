package dev.holdfast.resource;

import java.util.List;

/**
 * A volume's content at one moment.
 *
 * @param metadata name and bookkeeping
 * @param spec what is wanted
 * @param status what is observed
 */
public record Snapshot(ObjectMeta metadata, SnapshotSpec spec, SnapshotStatus status)
    implements Resource<Snapshot> {
  /** The kind. */
  public static final ResourceKind<Snapshot> KIND =
      new ResourceKind<>(
          "Snapshot",
          "snapshots",
          List.of("hfs"),
          Snapshot.class,
          "A volume's content at one moment.",
          List.of(
              ResourceKind.Column.of("Volume", "string", ".spec.volume", "The volume."),
              ResourceKind.Column.of(
                  "Ready", "boolean", ".status.readyToUse", "Whether it can be read."),
              ResourceKind.Column.of(
                  "Size", "string", ".status.size", "What it takes on each disk.")));

  /** Replaces what is null by its empty value. */
  public Snapshot {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, SnapshotSpec.EMPTY);
    status = Defaults.or(status, SnapshotStatus.EMPTY);
  }

  /** A resource that is to be created. */
  public static Snapshot of(String name, SnapshotSpec spec) {
    return new Snapshot(ObjectMeta.named(name), spec, SnapshotStatus.EMPTY);
  }

  @Override
  public ResourceKind<Snapshot> resourceKind() {
    return KIND;
  }

  @Override
  public Snapshot withMetadata(ObjectMeta newMetadata) {
    return new Snapshot(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public Snapshot withSpec(SnapshotSpec newSpec) {
    return new Snapshot(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public Snapshot withStatus(SnapshotStatus newStatus) {
    return new Snapshot(metadata, spec, newStatus);
  }

  @Override
  public Snapshot withSpecOf(Snapshot other) {
    return withSpec(other.spec());
  }

  @Override
  public Snapshot withStatusOf(Snapshot other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate();
  }

  @Override
  public List<FieldError> validateChange(Snapshot earlier) {
    return spec.validateChange(earlier.spec());
  }
}
