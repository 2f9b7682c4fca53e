package dev.holdfast.share;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.Volume;
import java.util.List;

/**
 * The share of one volume. The system creates and deletes it with each volume that has access mode
 * rwx and is not migratable.
 *
 * @param metadata name and bookkeeping; the name is the volume's
 * @param spec wanted state
 * @param status observed state
 */
public record ShareManager(ObjectMeta metadata, ShareManagerSpec spec, ShareManagerStatus status)
    implements Resource<ShareManager> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<ShareManager> KIND =
      new ResourceKind<>(
          "ShareManager",
          "sharemanagers",
          List.of("hfsm"),
          ShareManager.class,
          "The share of a volume: one node exports the volume's filesystem to many hosts.",
          List.of(
              ResourceKind.Column.of("State", "string", ".status.state", "State of the share."),
              ResourceKind.Column.of("Node", "string", ".status.nodeID", "The node that serves."),
              ResourceKind.Column.of(
                  "Endpoint", "string", ".status.endpoint", "Address of the export."),
              ResourceKind.Column.wide(
                  "Epoch", "integer", ".status.epoch.number", "Number of the claim to serve."),
              ResourceKind.Column.wide(
                  "Server", "string", ".status.serverVersion", "Version of the server.")));

  /** Name of the attacher whose ticket attaches the volume to the node that serves the share. */
  public static final String ATTACHER = "share-manager-controller";

  /**
   * Condition of a node: True while the node can serve shares. Otherwise its message names the
   * missing packages.
   */
  public static final String NODE_CONDITION = "ShareServerReady";

  /**
   * Condition of a share: False while the filesystem cannot be grown to the size of the volume,
   * with the cause. Absent if the filesystem never failed to grow.
   */
  public static final String GROWTH_CONDITION = "FilesystemGrown";

  /** Finalizer that keeps the resource until the share is stopped on all nodes. */
  public static final String FINALIZER = "holdfast.dev/share-server";

  /** Replaces null components by empty values. */
  public ShareManager {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, ShareManagerSpec.EMPTY);
    status = Defaults.or(status, ShareManagerStatus.EMPTY);
  }

  /** Returns a new resource for a share, with the name of the spec's volume. */
  public static ShareManager of(ShareManagerSpec spec) {
    return new ShareManager(ObjectMeta.named(spec.volume()), spec, ShareManagerStatus.EMPTY);
  }

  /**
   * Returns whether a volume has a share: it has access mode rwx and is not migratable.
   *
   * @param volume not null
   */
  public static boolean isShared(Volume volume) {
    return volume.spec().accessMode() == AccessMode.READ_WRITE_MANY && !volume.spec().migratable();
  }

  /**
   * Returns whether another node serves or starts to serve the share, because a node did not
   * report. That node may still run, but the fencing of the volume's engine excludes it.
   *
   * @param node name of the former node, not null
   */
  public boolean hasLeftSilent(String node) {
    return !status.nodeID().isEmpty()
        && !status.nodeID().equals(node)
        && status.failedNodes().stream()
            .anyMatch(
                failed ->
                    failed.nodeID().equals(node)
                        && failed.reason().equals(ShareReasons.NODE_SILENT));
  }

  @Override
  public ResourceKind<ShareManager> resourceKind() {
    return KIND;
  }

  @Override
  public ShareManager withMetadata(ObjectMeta newMetadata) {
    return new ShareManager(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public ShareManager withSpec(ShareManagerSpec newSpec) {
    return new ShareManager(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public ShareManager withStatus(ShareManagerStatus newStatus) {
    return new ShareManager(metadata, spec, newStatus);
  }

  @Override
  public ShareManager withSpecOf(ShareManager other) {
    return withSpec(other.spec());
  }

  @Override
  public ShareManager withStatusOf(ShareManager other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return new Checks()
        .all(spec.validate())
        .that(
            name().equals(spec.volume()),
            "spec.volume",
            spec.volume(),
            "must be the name of this resource")
        .errors();
  }

  @Override
  public List<FieldError> validateChange(ShareManager earlier) {
    return spec.validateChange(earlier.spec());
  }
}
