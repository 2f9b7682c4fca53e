package dev.holdfast.attacher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DiskCandidatesTest {
  private static final Volume VOLUME = Volume.of("demo", VolumeSpec.EMPTY);

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

  @Test
  void nodeThatKubernetesCordonedTakesNoReplica() {
    assertThat(DiskCandidates.exist(VOLUME, List.of(), List.of(node(false)))).isTrue();
    assertThat(DiskCandidates.exist(VOLUME, List.of(), List.of(node(true)))).isFalse();
  }
}
