package dev.holdfast.volume.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.node.EngineDisks;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.node.NodeStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Nodes that share one disk of an engine with shared disks. */
final class SharedNodes {
  static final String ENGINE = "pool";
  static final String UUID = "uuid-of-the-pool";
  private static final List<Condition> READY =
      Condition.with(List.of(), "Ready", Condition.Status.TRUE, "Ready", "", Instant.EPOCH);
  private static final EngineDisks LOCKED =
      new EngineDisks(
          List.of(DiskType.VOLUME_GROUP), EngineDisks.SHARED_DISK, EngineDisks.DISK_LOCK);

  static Node node(String name) {
    DiskStatus disk =
        DiskStatus.EMPTY
            .withDiskUUID(UUID)
            .withPath("/dev/pool")
            .withStorageMaximum(Quantity.parse("10Gi"))
            .withStorageAvailable(Quantity.parse("10Gi"))
            .withConditions(READY)
            .withType(DiskType.VOLUME_GROUP)
            .withEngine(ENGINE)
            .withStoragePromisable(Quantity.parse("10Gi"))
            .withShared(true);
    return Node.of(
            name,
            NodeSpec.EMPTY.withDisks(
                Map.of(
                    "disk-of-" + name,
                    DiskSpec.EMPTY.withPath("/dev/pool").withType(DiskType.VOLUME_GROUP))))
        .withStatus(
            NodeStatus.EMPTY
                .withEngines(List.of(ENGINE, "sparse"))
                .withEngineDisks(Map.of(ENGINE, LOCKED))
                .withDiskStatus(Map.of("disk-of-" + name, disk))
                .withConditions(READY));
  }

  static Node silent(String name) {
    return node(name)
        .withStatus(
            node(name)
                .status()
                .withConditions(
                    Condition.with(
                        List.of(),
                        "Ready",
                        Condition.Status.UNKNOWN,
                        "Silent",
                        "",
                        Instant.EPOCH)));
  }

  static Node declaring(Node node, String fencing) {
    return node.withStatus(
        node.status().withEngineDisks(Map.of(ENGINE, LOCKED.withFencing(fencing))));
  }

  private SharedNodes() {}
}
