package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.attachment.VolumeAttachmentStatus;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real API server does not number tickets that kubectl changes. */
@Tag("slow")
class ChangedTicketTest {
  private Kubectl kubectl;
  private KubernetesResourceStore store;

  @BeforeEach
  void connect() throws Exception {
    kubectl = new Kubectl(TestCluster.server().kubeconfig());
    store = TestCluster.store(TestCluster.server().kubeconfig());
    TestCluster.clear(store);
  }

  @AfterEach
  void takeItAway() throws Exception {
    TestCluster.clear(store);
    store.close();
  }

  private boolean isDescribed() throws Exception {
    VolumeAttachment attachment = store.get(VolumeAttachment.KIND, "data").orElseThrow();
    return attachment
        .status()
        .attachmentTicketStatuses()
        .get("api-n1")
        .describes(attachment.spec().attachmentTickets().get("api-n1"));
  }

  @Test
  void statusDescribesATicketUntilKubectlChangesIt() throws Exception {
    AttachmentTicket ticket = AttachmentTicket.of("api-n1", "api", "n1", Map.of("a", "b"), 0);
    VolumeAttachment made =
        store.create(
            VolumeAttachment.of(
                "data", new VolumeAttachmentSpec("data", Map.of("api-n1", ticket))));
    AttachmentTicket kept = made.spec().attachmentTickets().get("api-n1");
    AttachmentTicketStatus status =
        new AttachmentTicketStatus(
            "api-n1", true, List.of(), kept.generation(), kept.contentHash());
    store.updateStatus(
        made.withStatus(
            VolumeAttachmentStatus.EMPTY.withAttachmentTicketStatuses(Map.of("api-n1", status))));
    assertThat(isDescribed()).isTrue();

    Kubectl.Result changed =
        kubectl.run(
            "patch",
            "volumeattachments.holdfast.dev",
            "data",
            "--type=merge",
            "-p",
            "{\"spec\":{\"attachmentTickets\":{\"api-n1\":{\"nodeID\":\"n2\"}}}}");
    assertThat(changed.code()).as(changed.output()).isZero();

    VolumeAttachment after = store.get(VolumeAttachment.KIND, "data").orElseThrow();
    assertThat(after.spec().attachmentTickets().get("api-n1").generation())
        .as("number of a ticket that kubectl changed")
        .isEqualTo(kept.generation());
    assertThat(isDescribed()).isFalse();
  }
}
