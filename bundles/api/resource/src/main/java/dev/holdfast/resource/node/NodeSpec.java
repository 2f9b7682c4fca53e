package dev.holdfast.resource.node;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;

/**
 * The wanted state of a node.
 *
 * @param allowScheduling whether new replicas may be placed here
 * @param tags tags to which nodeSelector of volumes refers
 * @param disks disks of the node, by identifier
 * @param evictionRequested whether all replicas must leave this node
 */
@RecordBuilder
public record NodeSpec(
    Boolean allowScheduling,
    List<String> tags,
    Map<String, DiskSpec> disks,
    boolean evictionRequested)
    implements NodeSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final NodeSpec EMPTY = NodeSpecBuilder.builder().build();

  /** Replaces null components by their defaults and copies the collections. */
  public NodeSpec {
    allowScheduling = Defaults.or(allowScheduling, Boolean.TRUE);
    tags = Defaults.list(tags);
    disks = Defaults.map(disks);
  }

  List<FieldError> validate() {
    Checks checks = new Checks();
    disks.forEach(
        (id, disk) ->
            checks
                .name(id, "spec.disks")
                .that(
                    disk.path().startsWith("/"),
                    "spec.disks[" + id + "].path",
                    disk.path(),
                    "must be an absolute path")
                .that(
                    !disk.create() || disk.type() == DiskType.DIRECTORY,
                    "spec.disks[" + id + "].create",
                    disk.create(),
                    "must be false unless the type is directory"));
    long paths = disks.values().stream().map(DiskSpec::path).distinct().count();
    return checks
        .that(paths == disks.size(), "spec.disks", disks.keySet(), "must have different paths")
        .errors();
  }

  List<FieldError> validateChange(NodeSpec earlier) {
    Checks checks = new Checks();
    disks.forEach(
        (id, disk) -> {
          DiskSpec before = earlier.disks.getOrDefault(id, disk);
          checks.immutable(before.type(), disk.type(), "spec.disks[" + id + "].type");
        });
    return checks.errors();
  }
}
