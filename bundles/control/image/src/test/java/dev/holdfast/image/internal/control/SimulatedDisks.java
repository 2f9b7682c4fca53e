package dev.holdfast.image.internal.control;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A simulated node with disks that disappear and return. The engine {@code fake} keeps its images.
 */
final class SimulatedDisks {
  private final String node;
  private final Path folder;

  /** Sets the name of a node that does not exist yet. */
  SimulatedDisks(String node, Path folder) {
    this.node = node;
    this.folder = folder;
  }

  /** Creates the node; each disk has a folder of its name, and the uuid {@code uuid-NAME}. */
  void create(ResourceStore store, List<String> disks) throws StorageException {
    Map<String, DiskSpec> specs = new TreeMap<>();
    Map<String, DiskStatus> statuses = new TreeMap<>();
    for (String disk : disks) {
      specs.put(disk, DiskSpec.EMPTY.withPath(path(disk).toString()));
      statuses.put(disk, status(disk, true));
    }
    Node made = store.create(Node.of(node, NodeSpec.EMPTY.withDisks(specs)));
    store.updateStatus(
        made.withStatus(
            NodeStatus.EMPTY
                .withConditions(ready(true))
                .withEngines(List.of("fake"))
                .withDiskStatus(statuses)));
  }

  private static List<Condition> ready(boolean ready) {
    return Condition.with(
        List.of(),
        Condition.READY,
        ready ? Condition.Status.TRUE : Condition.Status.FALSE,
        "Test",
        "",
        Instant.EPOCH);
  }

  private DiskStatus status(String disk, boolean ready) {
    return DiskStatus.EMPTY
        .withDiskUUID("uuid-" + disk)
        .withPath(path(disk).toString())
        .withConditions(ready(ready));
  }

  Path path(String disk) {
    return folder.resolve(disk);
  }

  /** Makes a disk present or absent. */
  void set(ResourceStore store, String disk, boolean ready) throws StorageException {
    Node found = store.get(Node.KIND, node).orElseThrow();
    Map<String, DiskStatus> statuses = new TreeMap<>(found.status().diskStatus());
    statuses.put(disk, status(disk, ready));
    store.updateStatus(found.withStatus(found.status().withDiskStatus(statuses)));
  }
}
