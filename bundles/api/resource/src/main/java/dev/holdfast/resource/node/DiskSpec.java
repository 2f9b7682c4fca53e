package dev.holdfast.resource.node;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * A directory of a node in which replicas are kept.
 *
 * @param path the directory, absolute; must exist unless {@code create} is set
 * @param allowScheduling whether new replicas may be placed here
 * @param storageReserved space of the filesystem that is not available to replicas
 * @param tags tags to which diskSelector of volumes refers
 * @param evictionRequested whether all replicas are to leave this disk
 * @param create whether the node creates the directory when it first uses the disk
 */
@RecordBuilder
public record DiskSpec(
    String path,
    Boolean allowScheduling,
    Quantity storageReserved,
    List<String> tags,
    boolean evictionRequested,
    boolean create)
    implements DiskSpecBuilder.With {
  /** Nothing set. */
  public static final DiskSpec EMPTY = new DiskSpec(null, null, null, null);

  /** Replaces what is null by its default and copies the collections. */
  public DiskSpec {
    path = Defaults.text(path);
    allowScheduling = Defaults.or(allowScheduling, Boolean.TRUE);
    storageReserved = Defaults.or(storageReserved, Quantity.ZERO);
    tags = Defaults.list(tags);
  }

  /** A disk whose replicas stay. */
  public DiskSpec(
      String path, Boolean allowScheduling, Quantity storageReserved, List<String> tags) {
    this(path, allowScheduling, storageReserved, tags, false);
  }

  /** A disk whose directory exists. */
  public DiskSpec(
      String path,
      Boolean allowScheduling,
      Quantity storageReserved,
      List<String> tags,
      boolean evictionRequested) {
    this(path, allowScheduling, storageReserved, tags, evictionRequested, false);
  }
}
