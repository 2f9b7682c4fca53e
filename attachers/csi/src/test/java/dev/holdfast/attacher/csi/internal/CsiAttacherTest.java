package dev.holdfast.attacher.csi.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.testkit.ReaperKit;
import dev.holdfast.attacher.testkit.Volumes;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tickets of the type csi-attacher. */
class CsiAttacherTest extends ReaperKit {
  private static final Duration HOUR = Duration.ofHours(1);

  @Override
  protected Reconciler<?> attacher() {
    return new CsiAttacher();
  }

  @Test
  void itsTypeIsThatOfTheSeed() {
    CsiAttacher type = new CsiAttacher();
    assertThat(type.name()).isEqualTo("csi-attacher");
    assertThat(type.priority()).isEqualTo(900);
    assertThat(type.role()).isEqualTo(AttacherProvider.Role.WORKLOAD);
  }

  private static Simulation publishedOnANodeThatIsDeleted() throws StorageException {
    Simulation simulation =
        Simulation.builder(1).faults(Faults.NONE).reconciler("n1", CsiAttacher::new).build();
    ResourceStore store = simulation.store();
    store.create(Node.of("n2", NodeSpec.EMPTY));
    Volumes.create(store, "v");
    Volumes.put(store, "v", AttachmentTicket.of("t", "csi-attacher", "n2", Map.of(), 0));
    store.delete(Node.KIND, "n2", "");
    return simulation;
  }

  @Test
  void ticketOfARemovedNodeIsTakenBack() throws Exception {
    Simulation simulation = publishedOnANodeThatIsDeleted();
    simulation.runUntil(
        "taken back", HOUR, store -> Volumes.tickets(store, "csi-attacher").isEmpty());
  }

  @Test
  void ticketOfANodeThatRegistersAgainStays() throws Exception {
    Simulation simulation = publishedOnANodeThatIsDeleted();
    simulation.run(Duration.ofMinutes(2));
    simulation.store().create(Node.of("n2", NodeSpec.EMPTY));
    simulation.run(HOUR);
    assertThat(Volumes.tickets(simulation.store(), "csi-attacher")).containsExactly("v/t");
  }
}
