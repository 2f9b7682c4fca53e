package dev.holdfast.attachment.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Events that trigger the reconciler before its own interval ends. */
class AttachmentWakingTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static Optional<AttachmentTicketStatus> answer(ResourceStore store)
      throws StorageException {
    return store
        .get(VolumeAttachment.KIND, "v")
        .map(attachment -> attachment.status().attachmentTicketStatuses().get("t"));
  }

  private static void prepare(ResourceStore store) throws StorageException {
    AttachmentView view = Case.detached().view(List.of());
    for (Node node : view.nodes()) {
      store.create(node);
    }
    store.create(view.volume().orElseThrow());
    store.create(Case.engine("v-e-0", EngineSpec.EMPTY.withVolume("v")));
    AttachmentTicket ticket = AttachmentTicket.of("t", "api", "n2", Map.of(), 0);
    store.create(VolumeAttachment.of("v", new VolumeAttachmentSpec("v", Map.of("t", ticket))));
  }

  @Test
  void aNodeThatBecomesReadyGetsTheVolumeThatWaitsForIt() throws Exception {
    Simulation simulation =
        Simulation.builder(1)
            .faults(Faults.NONE)
            .reconciler(
                "n1",
                () ->
                    new AttachmentReconciler(
                        List.copyOf(Case.TYPES.values()), new AttachmentRules()))
            .reconciler("n1", () -> new VolumeAgent(new Random(1)))
            .build();
    ResourceStore store = simulation.store();
    prepare(store);
    Node ready = store.get(Node.KIND, "n2").orElseThrow();
    Node unready = store.updateStatus(ready.withStatus(ready.status().withConditions(List.of())));
    simulation.run(MINUTE);
    assertThat(answer(store).orElseThrow().conditions().get(0).reason())
        .isEqualTo(Reasons.NODE_NOT_READY);
    store.updateStatus(unready.withStatus(ready.status()));
    simulation.runUntil(
        "attached", MINUTE, s -> answer(s).filter(AttachmentTicketStatus::satisfied).isPresent());
  }
}
