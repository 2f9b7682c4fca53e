package dev.holdfast.attacher.api.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.testkit.ReaperKit;
import dev.holdfast.attacher.testkit.Volumes;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tickets that users create. */
class ApiAttacherTest extends ReaperKit {
  private static final Duration LIMIT = Duration.ofMinutes(20);

  @Override
  protected Reconciler<?> attacher() {
    return new ApiAttacher();
  }

  @Test
  void ticketOfAUserHasPriorityOverPodsAndMaintenance() {
    assertThat(new ApiAttacher().name()).isEqualTo("api");
    assertThat(new ApiAttacher().priority()).isEqualTo(1000);
    assertThat(new ApiAttacher().role()).isEqualTo(AttacherProvider.Role.WORKLOAD);
  }

  private static Simulation attachedToACordonedNode() throws StorageException {
    Simulation simulation =
        Simulation.builder(1).faults(Faults.NONE).reconciler("n1", ApiAttacher::new).build();
    ResourceStore store = simulation.store();
    store.create(Node.of("n1", NodeSpec.EMPTY.withAllowScheduling(false)));
    store.create(Node.of("n2", NodeSpec.EMPTY));
    Volumes.create(store, "v");
    Volumes.status(store, "v", status -> status.withCurrentNodeID("n1"));
    Volumes.put(store, "v", AttachmentTicket.of("t1", "api", "n1", Map.of(), 0));
    Volumes.put(store, "v", AttachmentTicket.of("t2", "api", "n2", Map.of(), 0));
    return simulation;
  }

  @Test
  void aVolumeOnACordonedNodeIsPointedOut() throws Exception {
    Simulation simulation = attachedToACordonedNode();
    simulation.runUntil("told", LIMIT, ApiAttacherTest::isWarned);
    assertThat(Volumes.tickets(simulation.store(), "api")).hasSize(2);
  }

  private static boolean isWarned(ResourceStore store) throws StorageException {
    return store.list(Event.KIND, LabelSelector.ALL).items().stream()
        .anyMatch(event -> event.spec().reason().equals("AttachedToCordonedNode"));
  }

  @Test
  void volumeLeavesACordonedNodeIfTheSettingRequiresIt() throws Exception {
    Simulation simulation = attachedToACordonedNode();
    simulation
        .store()
        .create(Setting.of(PlatformSettings.DETACH_WHEN_CORDONED.name(), new SettingSpec("true")));
    simulation.runUntil("taken back", LIMIT, s -> !Volumes.tickets(s, "api").contains("v/t1"));
    assertThat(Volumes.tickets(simulation.store(), "api")).containsExactly("v/t2");
  }

  @Test
  void ticketWithoutANodeLeavesACordonedNodeToo() throws Exception {
    Simulation simulation = attachedToACordonedNode();
    Volumes.put(simulation.store(), "v", AttachmentTicket.of("open", "api", "", Map.of(), 0));
    simulation
        .store()
        .create(Setting.of(PlatformSettings.DETACH_WHEN_CORDONED.name(), new SettingSpec("true")));
    simulation.runUntil("taken back", LIMIT, s -> !Volumes.tickets(s, "api").contains("v/open"));
  }

  @Test
  void nodeThatKubernetesCordonsIsLeft() throws Exception {
    Simulation simulation = attachedToACordonedNode();
    ResourceStore store = simulation.store();
    Volumes.status(store, "v", status -> status.withCurrentNodeID("n2"));
    Node node = store.get(Node.KIND, "n2").orElseThrow();
    store.update(
        node.withMetadata(
            node.metadata().withAnnotations(Map.of(Node.CORDONED_ANNOTATION, "true"))));
    store.create(Setting.of(PlatformSettings.DETACH_WHEN_CORDONED.name(), new SettingSpec("true")));
    simulation.runUntil("taken back", LIMIT, s -> !Volumes.tickets(s, "api").contains("v/t2"));
  }

  @Test
  void ticketThatWasDerivedFromAnAttachedVolumeStays() throws Exception {
    Simulation simulation = attachedToACordonedNode();
    Volumes.put(
        simulation.store(),
        "v",
        AttachmentTicket.of("t1", "api", "n1", Map.of("imported", "true"), 0));
    simulation
        .store()
        .create(Setting.of(PlatformSettings.DETACH_WHEN_CORDONED.name(), new SettingSpec("true")));
    simulation.runUntil("told", LIMIT, ApiAttacherTest::isWarned);
    assertThat(Volumes.tickets(simulation.store(), "api")).contains("v/t1");
  }
}
