package dev.holdfast.resource.volume;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.node.Node;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One copy of a volume's bytes, on one disk.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record Replica(ObjectMeta metadata, ReplicaSpec spec, ReplicaStatus status)
    implements Resource<Replica> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<Replica> KIND =
      new ResourceKind<>(
          "Replica",
          "replicas",
          List.of("hfr"),
          Replica.class,
          "One copy of a volume's bytes, on one disk.",
          List.of(
              ResourceKind.Column.of("Volume", "string", ".spec.volume", "The volume."),
              ResourceKind.Column.of(
                  "State", "string", ".status.currentState", "The current state."),
              ResourceKind.Column.of(
                  "Mode", "string", ".status.mode", "The role of the replica in its engine."),
              ResourceKind.Column.of(
                  "Node", "string", ".spec.nodeID", "The node that has the disk."),
              ResourceKind.Column.of("Disk", "string", ".spec.diskID", "The disk.")));

  /** Finalizer that the replica's node removes after it has removed the replica's data. */
  public static final String FINALIZER = "holdfast.dev/replica-data";

  /**
   * Annotation that permits the removal of the replica's data. The node removes the data of a
   * deleted replica only after the volume controller has set it.
   */
  public static final String DISPOSABLE_ANNOTATION = "holdfast.dev/disposable";

  /** Condition that reports whether the replica was provisioned and its data exists. */
  public static final String PROVISIONED_CONDITION = "Provisioned";

  /**
   * Reason of {@link #PROVISIONED_CONDITION}: the replica was provisioned, but its data is missing.
   */
  public static final String DATA_MISSING_REASON = "DataMissing";

  /** Reason of {@link #PROVISIONED_CONDITION}: the replica waits for its first content. */
  public static final String WAITS_FOR_CONTENT_REASON = "WaitsForContent";

  /**
   * Reason of a replica that is not provisioned yet, because its disk does not have the backing
   * image.
   */
  public static final String WAITS_FOR_IMAGE_REASON = "WaitsForImage";

  /** Reason of a deleted replica that is kept because its volume needs it. */
  public static final String VOLUME_NEEDS_REPLICA_REASON = "VolumeNeedsReplica";

  /** Reason of a replica whose disk is not registered on its node. */
  public static final String DISK_UNKNOWN_REASON = "DiskUnknown";

  /** Replaces null components by empty values. */
  public Replica {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, ReplicaSpec.EMPTY);
    status = Defaults.or(status, ReplicaStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
  public static Replica of(String name, ReplicaSpec spec) {
    return new Replica(ObjectMeta.named(name), spec, ReplicaStatus.EMPTY);
  }

  /** Returns whether the replica was provisioned once, so that an empty place means lost data. */
  public boolean wasProvisioned() {
    return status.provisioned()
        || spec.healthyAt().isPresent()
        || Condition.find(status.conditions(), PROVISIONED_CONDITION)
            .filter(condition -> condition.reason().equals(DATA_MISSING_REASON))
            .isPresent();
  }

  /** Returns whether the replica is being deleted and its data may be removed. */
  public boolean isDisposable() {
    return isBeingDeleted()
        && metadata.annotations().getOrDefault(DISPOSABLE_ANNOTATION, "").equals("true");
  }

  /**
   * Returns whether the data of the replica may be removed but cannot be, for example because its
   * disk is absent. Engines do not open such a replica, and other work must not wait for its
   * removal.
   */
  public boolean isRemovalBlocked() {
    return isDisposable()
        && Condition.find(status.conditions(), Condition.DELETING)
            .filter(condition -> condition.status() == Condition.Status.FALSE)
            .filter(condition -> !condition.reason().equals(VOLUME_NEEDS_REPLICA_REASON))
            .isPresent();
  }

  /** Returns this replica with the annotation that permits its node to remove the data. */
  public Replica disposable() {
    Map<String, String> annotations = new TreeMap<>(metadata.annotations());
    annotations.put(DISPOSABLE_ANNOTATION, "true");
    return withMetadata(metadata.withAnnotations(annotations));
  }

  /**
   * Returns whether the replica is on a shared disk. Such a replica is not bound to a node, and the
   * removal of a node keeps its data.
   *
   * @since 1.1
   */
  public boolean isOnSharedDisk() {
    return spec.nodeID().isEmpty() && !spec.diskUUID().isEmpty();
  }

  /**
   * Returns whether a disk was chosen for the replica.
   *
   * @since 1.1
   */
  public boolean isScheduled() {
    return !spec.nodeID().isEmpty() || !spec.diskUUID().isEmpty();
  }

  /**
   * Returns the node that reconciles the replica: the node of its disk, or the chosen owner of a
   * replica on a shared disk. Empty until the replica is scheduled or the owner chosen.
   *
   * @since 1.1
   */
  public String ownerNode() {
    return isOnSharedDisk() ? status.ownerID() : spec.nodeID();
  }

  /**
   * Returns the identifier of the replica's disk on a node; empty when that node does not have the
   * disk.
   *
   * @since 1.1
   */
  public Optional<String> diskOn(Node node) {
    if (isOnSharedDisk()) {
      return node.diskWithIdentity(spec.diskUUID());
    }
    return Optional.of(spec.diskID())
        .filter(disk -> node.name().equals(spec.nodeID()))
        .filter(node.spec().disks()::containsKey);
  }

  @Override
  public ResourceKind<Replica> resourceKind() {
    return KIND;
  }

  @Override
  public Replica withMetadata(ObjectMeta newMetadata) {
    return new Replica(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public Replica withSpec(ReplicaSpec newSpec) {
    return new Replica(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public Replica withStatus(ReplicaStatus newStatus) {
    return new Replica(metadata, spec, newStatus);
  }

  @Override
  public Replica withSpecOf(Replica other) {
    return withSpec(other.spec());
  }

  @Override
  public Replica withStatusOf(Replica other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate();
  }

  @Override
  public List<FieldError> validateChange(Replica earlier) {
    return spec.validateChange(earlier.spec());
  }
}
