package dev.holdfast.volume.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Nodes, volumes and attacher types for tests. */
final class Cluster {
  private static final List<Condition> READY =
      Condition.with(List.of(), "Ready", Condition.Status.TRUE, "Ready", "", Instant.EPOCH);

  private Cluster() {}

  /** Returns the active engine of a volume; for a removed volume, the remaining engine. */
  static Optional<Engine> engine(ResourceStore store, String volume) throws StorageException {
    Optional<Volume> found = store.get(Volume.KIND, volume);
    return store.list(Engine.KIND, LabelSelector.ALL).items().stream()
        .filter(engine -> engine.spec().volume().equals(volume))
        .filter(engine -> found.map(v -> v.follows(engine)).orElse(true))
        .findFirst();
  }

  static Node node(String name, int disks) {
    return node(name, disks, Quantity.parse("100Gi"), Quantity.parse("60Gi"));
  }

  static Node node(String name, int disks, Quantity size, Quantity free) {
    Map<String, DiskSpec> specs = new LinkedHashMap<>();
    Map<String, DiskStatus> statuses = new LinkedHashMap<>();
    for (int i = 1; i <= disks; i++) {
      String path = "/disks/" + name + "/" + i;
      specs.put("disk-" + i, DiskSpec.EMPTY.withPath(path));
      statuses.put(
          "disk-" + i,
          DiskStatus.EMPTY
              .withDiskUUID(name + "-u" + i)
              .withPath(path)
              .withStorageMaximum(size)
              .withStorageAvailable(free)
              .withConditions(READY));
    }
    return Node.of(name, NodeSpec.EMPTY.withDisks(specs))
        .withStatus(NodeStatus.EMPTY.withDiskStatus(statuses).withConditions(READY));
  }

  /** Returns a node whose engine has all capabilities. */
  static Node capable(Node node) {
    return node.withStatus(
        node.status()
            .withEngineCapabilities(
                Map.of(
                    "sparse",
                    List.of("EXPANSION", "REBUILD", "REMOTE_REPLICAS", "REPLICA_REMOVAL"))));
  }

  /** Returns a node whose engine also admits any number of nodes to a volume. */
  static Node multiNode(Node node) {
    return node.withStatus(
        node.status()
            .withEngines(List.of("sparse"))
            .withEngineCapabilities(
                Map.of(
                    "sparse",
                    List.of(
                        "EXPANSION",
                        "FORWARDING",
                        "MULTI_NODE",
                        "REBUILD",
                        "REMOTE_REPLICAS",
                        "REPLICA_REMOVAL"))));
  }

  static Node inZone(Node node, String zone) {
    return node.withMetadata(node.metadata().withLabels(Map.of(NodeInventory.ZONE, zone)));
  }

  static Volume volume(String name) {
    return Volume.of(
        name, VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi")).withDeletionGrace("0s"));
  }

  static AttacherProvider type(String name, int priority, AttacherProvider.Role role) {
    return new FixedType(name, priority, role);
  }

  private record FixedType(String name, int priority, Role role) implements AttacherProvider {}
}
