package dev.holdfast.csi.internal.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.csi.internal.server.CsiVolumes;
import dev.holdfast.csi.internal.server.Topology;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VolumeListingTest {

  private static Node node(boolean cordoned) {
    List<Condition> ready =
        List.of(new Condition("Ready", Condition.Status.TRUE, "Ready", "", Instant.EPOCH));
    DiskStatus disk =
        DiskStatus.EMPTY.withConditions(ready).withStorageAvailable(new Quantity(1L << 30));
    Node node =
        Node.of("a", NodeSpec.EMPTY.withDisks(Map.of("disk-1", DiskSpec.EMPTY.withPath("/srv"))))
            .withStatus(
                NodeStatus.EMPTY.withConditions(ready).withDiskStatus(Map.of("disk-1", disk)));
    return cordoned
        ? node.withMetadata(
            node.metadata().withAnnotations(Map.of(Node.CORDONED_ANNOTATION, "true")))
        : node;
  }

  private static long capacity(Node node) throws Exception {
    MemoryResourceStore store = new MemoryResourceStore();
    Node stored = store.create(node);
    store.updateStatus(stored.withStatus(node.status()));
    Topology topology = new Topology(store);
    return new VolumeListing(store, new CsiVolumes(store, topology), topology)
        .capacity(Csi.GetCapacityRequest.getDefaultInstance())
        .getAvailableCapacity();
  }

  @Test
  void nodeThatKubernetesCordonedHasNoCapacity() throws Exception {
    assertThat(capacity(node(false))).isEqualTo(1L << 30);
    assertThat(capacity(node(true))).isZero();
  }
}
