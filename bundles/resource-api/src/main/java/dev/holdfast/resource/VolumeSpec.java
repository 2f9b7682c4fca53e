package dev.holdfast.resource;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * What is wanted of a volume; fields as the users of Longhorn know them.
 *
 * @param size of the device: a multiple of 4 KiB, at least 1 MiB; may grow, never shrink
 * @param numberOfReplicas copies wanted, 1 to 20
 * @param dataEngine what keeps the bytes; never changes
 * @param frontend how a host reaches it: name of a frontend
 * @param accessMode how many nodes may use it at a time
 * @param dataLocality whether a replica should be where it is used
 * @param nodeID the node it shall be attached to; written by the attachment controller only
 * @param disableFrontend whether it is attached without a frontend; written by the attachment
 *     controller only
 * @param lastAttachedBy the ticket that attached it last; written by the attachment controller only
 * @param nodeSelector tags that a node must have to hold a replica
 * @param diskSelector tags that a disk must have to hold a replica
 */
@RecordBuilder
public record VolumeSpec(
    Quantity size,
    Integer numberOfReplicas,
    String dataEngine,
    String frontend,
    AccessMode accessMode,
    DataLocality dataLocality,
    String nodeID,
    boolean disableFrontend,
    String lastAttachedBy,
    List<String> nodeSelector,
    List<String> diskSelector)
    implements VolumeSpecBuilder.With {
  /** Nothing set. */
  public static final VolumeSpec EMPTY =
      new VolumeSpec(null, null, null, null, null, null, null, false, null, null, null);

  /** Replaces what is null by its default and copies the collections. */
  public VolumeSpec {
    size = Defaults.or(size, Quantity.ZERO);
    numberOfReplicas = Defaults.or(numberOfReplicas, 3);
    dataEngine = Defaults.or(dataEngine, "sparse");
    frontend = Defaults.or(frontend, "nbd");
    accessMode = Defaults.or(accessMode, AccessMode.READ_WRITE_ONCE);
    dataLocality = Defaults.or(dataLocality, DataLocality.DISABLED);
    nodeID = Defaults.text(nodeID);
    lastAttachedBy = Defaults.text(lastAttachedBy);
    nodeSelector = Defaults.list(nodeSelector);
    diskSelector = Defaults.list(diskSelector);
  }

  private static final long BLOCK = 4096;
  private static final long SMALLEST = 1L << 20;
  private static final int MOST_REPLICAS = 20;
  private static final int LONGEST_NAME = 63;

  List<FieldError> validate(ObjectMeta metadata) {
    return new Checks()
        .that(
            metadata.name().length() <= LONGEST_NAME || !Checks.isName(metadata.name()),
            "metadata.name",
            metadata.name(),
            "must be at most " + LONGEST_NAME + " characters, because it is also a label")
        .that(
            size.bytes() >= SMALLEST && size.bytes() % BLOCK == 0,
            "spec.size",
            size,
            "must be a multiple of 4Ki and at least 1Mi")
        .that(
            numberOfReplicas >= 1 && numberOfReplicas <= MOST_REPLICAS,
            "spec.numberOfReplicas",
            numberOfReplicas,
            "must be between 1 and " + MOST_REPLICAS)
        .that(
            dataLocality != DataLocality.STRICT_LOCAL || numberOfReplicas == 1,
            "spec.numberOfReplicas",
            numberOfReplicas,
            "must be 1 when spec.dataLocality is strict-local")
        .name(dataEngine, "spec.dataEngine")
        .name(frontend, "spec.frontend")
        .optionalName(nodeID, "spec.nodeID")
        .errors();
  }

  List<FieldError> validateChange(VolumeSpec earlier) {
    return new Checks()
        .that(
            size.compareTo(earlier.size) >= 0,
            "spec.size",
            size,
            "must not be smaller than the present " + earlier.size)
        .immutable(earlier.dataEngine, dataEngine, "spec.dataEngine")
        .immutable(earlier.accessMode, accessMode, "spec.accessMode")
        .errors();
  }
}
