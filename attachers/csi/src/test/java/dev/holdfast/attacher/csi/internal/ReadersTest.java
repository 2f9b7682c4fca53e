package dev.holdfast.attacher.csi.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.testkit.Volumes;
import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Readers on n1, n2 and n3 of a volume whose engine is on n1, while n1 is lost. */
class ReadersTest {
  private static final Duration LIMIT = Duration.ofMinutes(20);

  private final Simulation simulation =
      Simulation.builder(1).faults(Faults.ALL).reconciler("n2", CsiAttacher::new).build();
  private final ResourceStore store = simulation.store();

  @BeforeEach
  void publish() throws StorageException {
    for (String node : List.of("n1", "n2", "n3")) {
      store.create(Node.of(node, NodeSpec.EMPTY));
      ready(node, Condition.Status.TRUE);
    }
    Volumes.create(store, "v");
    attach("n1");
    for (String node : List.of("n1", "n2", "n3")) {
      Volumes.put(store, "v", reader(node, "n1"));
    }
  }

  private static AttachmentTicket reader(String node, String asked) {
    return AttachmentTicket.of(
        "csi-" + node,
        "csi-attacher",
        asked,
        Map.of("csiNode", node, "csiAccessMode", "MULTI_NODE_READER_ONLY"),
        0);
  }

  private void ready(String name, Condition.Status status) throws StorageException {
    Node node = store.get(Node.KIND, name).orElseThrow();
    store.updateStatus(
        node.withStatus(
            node.status()
                .withConditions(
                    Condition.with(List.of(), "Ready", status, "Test", "", Instant.EPOCH))));
  }

  private void attach(String node) throws StorageException {
    Volume volume = store.get(Volume.KIND, "v").orElseThrow();
    store.update(volume.withSpec(volume.spec().withNodeID(node)));
  }

  private void unpublish(String node) throws StorageException {
    VolumeAttachment attachment = store.get(VolumeAttachment.KIND, "v").orElseThrow();
    Map<String, AttachmentTicket> tickets =
        new LinkedHashMap<>(attachment.spec().attachmentTickets());
    tickets.remove("csi-" + node);
    store.update(attachment.withSpec(attachment.spec().withAttachmentTickets(tickets)));
  }

  private static List<String> nodes(ResourceStore store) throws StorageException {
    return store
        .get(VolumeAttachment.KIND, "v")
        .orElseThrow()
        .spec()
        .attachmentTickets()
        .values()
        .stream()
        .map(AttachmentTicket::nodeID)
        .toList();
  }

  @Test
  void readersLeaveALostNodeAfterItsOwnReaderIsRemoved() throws Exception {
    ready("n1", Condition.Status.UNKNOWN);
    simulation.run(LIMIT);
    assertThat(nodes(store)).containsExactly("n1", "n1", "n1");

    unpublish("n1");
    simulation.runUntil("moved", LIMIT, s -> nodes(s).equals(List.of("n2", "n2")));
  }

  @Test
  void readersFollowTheEngine() throws Exception {
    attach("n3");
    simulation.runUntil("followed", LIMIT, s -> nodes(s).equals(List.of("n3", "n3", "n3")));
  }

  @Test
  void anotherTicketKeepsTheReadersOnALostNode() throws Exception {
    ready("n1", Condition.Status.UNKNOWN);
    unpublish("n1");
    Volumes.put(store, "v", AttachmentTicket.of("t", "api", "n1", Map.of(), 0));
    simulation.run(LIMIT);
    assertThat(nodes(store)).containsExactly("n1", "n1", "n1");
  }

  @Test
  void readersStayOnANodeThatReportsAFault() throws Exception {
    ready("n1", Condition.Status.FALSE);
    unpublish("n1");
    simulation.run(LIMIT);
    assertThat(nodes(store)).containsExactly("n1", "n1");
  }

  @Test
  void ticketOfAWriterStays() throws Exception {
    Volumes.put(store, "v", AttachmentTicket.of("csi-n1", "csi-attacher", "n1", Map.of(), 0));
    attach("n3");
    simulation.runUntil("followed", LIMIT, s -> nodes(s).contains("n3"));
    assertThat(nodes(store)).contains("n1");
  }
}
