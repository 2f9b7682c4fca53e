package dev.holdfast.metrics.runtime.internal.resources;

import dev.holdfast.error.StorageException;
import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.metrics.MetricSink;
import dev.holdfast.metrics.MetricSource;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import java.util.Optional;

/** Reports this node and its disks from its resource in the store. */
final class NodeMetrics implements MetricSource {
  private final ResourceStore store;
  private final String node;

  NodeMetrics(ResourceStore store, String node) {
    this.store = store;
    this.node = node;
  }

  @Override
  public List<MetricDefinition> definitions() {
    return List.of(
        NodeSeries.NODE_INFO,
        NodeSeries.NODE_CONDITION,
        NodeSeries.DISK_SIZE,
        NodeSeries.DISK_AVAILABLE,
        NodeSeries.DISK_RESERVED,
        NodeSeries.DISK_CONDITION);
  }

  @Override
  public void collect(MetricSink sink) throws StorageException {
    Optional<Node> found = store.get(Node.KIND, node);
    if (found.isEmpty()) {
      return;
    }
    Node own = found.get();
    sink.info(
        NodeSeries.NODE_INFO,
        node,
        own.status().version(),
        own.status().bootID(),
        System.getProperty("os.version", ""));
    own.status()
        .conditions()
        .forEach(
            c -> sink.value(NodeSeries.NODE_CONDITION, 1, node, c.type(), c.status().toString()));
    own.status()
        .diskStatus()
        .forEach(
            (id, disk) ->
                disk(sink, id, disk, own.spec().disks().getOrDefault(id, DiskSpec.EMPTY)));
  }

  private void disk(MetricSink sink, String id, DiskStatus disk, DiskSpec spec) {
    String filesystem = disk.filesystem();
    sink.value(NodeSeries.DISK_SIZE, (double) disk.storageMaximum().bytes(), node, id, filesystem);
    sink.value(
        NodeSeries.DISK_AVAILABLE, (double) disk.storageAvailable().bytes(), node, id, filesystem);
    sink.value(
        NodeSeries.DISK_RESERVED, (double) spec.storageReserved().bytes(), node, id, filesystem);
    disk.conditions()
        .forEach(
            c ->
                sink.value(
                    NodeSeries.DISK_CONDITION, 1, node, id, c.type(), c.status().toString()));
  }
}
