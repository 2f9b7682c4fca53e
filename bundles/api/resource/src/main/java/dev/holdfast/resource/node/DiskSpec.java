package dev.holdfast.resource.node;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * A disk of a node on which replicas are kept.
 *
 * @param path the directory, device or volume group, absolute; a directory must exist unless {@code
 *     create} is set
 * @param allowScheduling whether new replicas may be placed here
 * @param storageReserved space of the disk that is not available to replicas
 * @param tags tags to which diskSelector of volumes refers
 * @param evictionRequested whether all replicas must leave this disk
 * @param create whether the node creates the directory at the first use of the disk; for
 *     directories only
 * @param type kind of the disk; never changes. A device or volume group must be blank or in use by
 *     its engine; disks with other content are rejected
 */
@RecordBuilder
public record DiskSpec(
    String path,
    Boolean allowScheduling,
    Quantity storageReserved,
    List<String> tags,
    boolean evictionRequested,
    boolean create,
    DiskType type)
    implements DiskSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final DiskSpec EMPTY = DiskSpecBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public DiskSpec {
    path = Defaults.text(path);
    allowScheduling = Defaults.or(allowScheduling, Boolean.TRUE);
    storageReserved = Defaults.or(storageReserved, Quantity.ZERO);
    tags = Defaults.list(tags);
    type = Defaults.or(type, DiskType.DIRECTORY);
  }
}
