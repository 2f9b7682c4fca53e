package dev.holdfast.controller.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.Volume;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LogContextTest {
  private static final Map<String, String> CONTROLLER = Map.of("node", "n1", "attempt", "2");

  @Test
  void replicaNamesItsVolume() {
    Replica replica = Replica.of("films-r-1", ReplicaSpec.EMPTY);
    Replica labelled =
        replica.withMetadata(replica.metadata().withLabels(Map.of(Volume.LABEL, "films")));

    assertThat(LogContext.of(Replica.KIND, "films-r-1", Optional.of(labelled), CONTROLLER))
        .isEqualTo(Map.of("replica", "films-r-1", "volume", "films", "node", "n1", "attempt", "2"));
  }

  @Test
  void volumeAndItsAttachmentNameTheVolumeWithoutTheResource() {
    assertThat(LogContext.of(Volume.KIND, "films", Optional.empty(), CONTROLLER))
        .containsEntry("volume", "films");
    assertThat(LogContext.of(VolumeAttachment.KIND, "films", Optional.empty(), CONTROLLER))
        .containsEntry("volume", "films");
  }

  @Test
  void reconciledNodeHasPrecedenceOverTheNodeOfTheController() {
    assertThat(LogContext.of(Node.KIND, "n2", Optional.empty(), CONTROLLER))
        .isEqualTo(Map.of("node", "n2", "attempt", "2"));
  }
}
