package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attachment.internal.AttachmentReconciler;
import dev.holdfast.attachment.internal.LostEngineReconciler;
import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.resource.volume.VolumeStatus;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.volume.internal.MigrationAgent.Defect;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * A volume that several nodes serve, with both controllers, while nodes die, are partitioned and
 * return at any time. At most one node has it open. A node that no longer serves it writes nothing.
 * A node that serves it keeps serving while the owner changes.
 */
class ServingNodesCrashTest {
  private static final List<String> NODES = List.of("n1", "n2", "n3", "n4");
  private static final Duration TIME = Duration.ofMinutes(2);
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final List<AttacherProvider> TYPES =
      List.of(Cluster.type("csi-attacher", 900, AttacherProvider.Role.WORKLOAD));

  private final MigrationWorld world = new MigrationWorld();
  private String node = "";
  private final Set<String> served = new TreeSet<>();

  private Simulation simulation(long seed, Faults faults, Set<Defect> defects)
      throws StorageException {
    Random agents = new Random(seed);
    DataPathWorld disks = new DataPathWorld();
    Simulation.Builder builder = Simulation.builder(seed).faults(faults);
    for (String name : NODES) {
      builder
          .reconciler(name, () -> new VolumeReconciler(new VolumePlanner(), volume -> List.of()))
          .reconciler(name, () -> new AttachmentReconciler(TYPES))
          .reconciler(name, LostEngineReconciler::new)
          .reconciler(name, () -> new MigrationAgent(world, name, agents, defects))
          .reconciler(name, () -> new ReplicaAgent(disks));
    }
    Simulation simulation =
        builder
            .invariant("one owner", store -> oneOwner())
            .invariant("node", this::nodeChangesThroughEmptyOrToANodeThatServes)
            .invariant("writers", this::onlyServingNodesWrite)
            .build();
    for (String name : NODES) {
      simulation.store().create(Cluster.multiNode(Cluster.node(name, 1)));
    }
    Volume volume = Cluster.volume("v");
    simulation
        .store()
        .create(
            volume.withSpec(
                volume.spec().withAccessMode(AccessMode.READ_WRITE_MANY).withMigratable(true)));
    return simulation;
  }

  private void oneOwner() {
    assertThat(world.owners()).as("owners").hasSizeLessThanOrEqualTo(1);
  }

  private void nodeChangesThroughEmptyOrToANodeThatServes(ResourceStore store)
      throws StorageException {
    Optional<Volume> volume = store.get(Volume.KIND, "v");
    if (volume.isEmpty()) {
      return;
    }
    String now = volume.get().spec().nodeID();
    assertThat(node.isEmpty() || now.isEmpty() || node.equals(now) || served.contains(now))
        .as("from " + node + " to " + now + ", served by " + served)
        .isTrue();
    node = now;
    VolumeStatus status = volume.get().status();
    served.clear();
    served.addAll(status.servingEndpoints().keySet());
    served.add(status.currentMigrationNodeID());
  }

  /**
   * Checks that once the owner has applied its spec, only the named nodes write beside the owner.
   */
  private void onlyServingNodesWrite(ResourceStore store) throws StorageException {
    Optional<Engine> engine = Cluster.engine(store, "v");
    if (engine.isEmpty()
        || !world.isCurrent(engine.get().spec().nodeID())
        || !engine.get().status().nodeID().equals(engine.get().spec().nodeID())
        || engine.get().status().observedGeneration() != engine.get().metadata().generation()) {
      return;
    }
    Set<String> strangers = new TreeSet<>(world.writers());
    strangers.remove(engine.get().spec().nodeID());
    engine.get().spec().forwardingNodes().forEach(strangers::remove);
    assertThat(strangers).as("writers that shall not serve").isEmpty();
  }

  private static void edit(ResourceStore store, Consumer<Map<String, AttachmentTicket>> edit)
      throws StorageException {
    Optional<VolumeAttachment> found = store.get(VolumeAttachment.KIND, "v");
    if (found.isPresent()) {
      Map<String, AttachmentTicket> tickets =
          new LinkedHashMap<>(found.get().spec().attachmentTickets());
      edit.accept(tickets);
      store.update(found.get().withSpec(found.get().spec().withAttachmentTickets(tickets)));
    }
  }

  private static void put(ResourceStore store, String on) throws StorageException {
    AttachmentTicket ticket = AttachmentTicket.of("t-" + on, "csi-attacher", on, Map.of(), 0);
    edit(store, tickets -> tickets.put(ticket.id(), ticket));
  }

  private static void takeBack(ResourceStore store, String on) throws StorageException {
    edit(store, tickets -> tickets.remove("t-" + on));
  }

  private void act(ResourceStore store, Random random) throws StorageException {
    String on = NODES.get(random.nextInt(NODES.size()));
    switch (random.nextInt(9)) {
      case 0 -> lost(store, on, random.nextBoolean());
      case 1, 2 -> returned(store, on);
      case 3, 4 -> takeBack(store, on);
      default -> put(store, on);
    }
  }

  private void lost(ResourceStore store, String which, boolean powerCut) throws StorageException {
    world.lost(which, powerCut);
    ready(store, which, Condition.Status.UNKNOWN);
  }

  private void returned(ResourceStore store, String which) throws StorageException {
    world.returned(which);
    ready(store, which, Condition.Status.TRUE);
  }

  private static void ready(ResourceStore store, String which, Condition.Status status)
      throws StorageException {
    Node found = store.get(Node.KIND, which).orElseThrow();
    store.updateStatus(
        found.withStatus(
            found
                .status()
                .withConditions(
                    Condition.with(
                        found.status().conditions(), "Ready", status, "Test", "", Instant.EPOCH))));
  }

  private static boolean isSatisfied(ResourceStore store, String on) throws StorageException {
    Optional<VolumeAttachment> attachment = store.get(VolumeAttachment.KIND, "v");
    AttachmentTicketStatus status =
        attachment.map(a -> a.status().attachmentTicketStatuses().get("t-" + on)).orElse(null);
    return status != null
        && status.satisfied()
        && status.generation()
            == attachment.get().spec().attachmentTickets().get("t-" + on).generation();
  }

  private static boolean isDetached(ResourceStore store) throws StorageException {
    return store.get(Volume.KIND, "v").orElseThrow().status().state() == VolumeState.DETACHED;
  }

  private boolean serve(ResourceStore store, String... nodes) throws StorageException {
    for (String each : nodes) {
      if (!isSatisfied(store, each)) {
        return false;
      }
    }
    return world.writers().equals(Set.of(nodes)) && world.atWork().equals(Set.of(nodes));
  }

  private void play(long seed, Set<Defect> defects) throws StorageException {
    Simulation simulation = simulation(seed, Faults.ALL, defects);
    for (int i = 0; i < 50; i++) {
      int millis = simulation.random().nextInt((int) TIME.toMillis());
      simulation.after(Duration.ofMillis(millis), s -> act(s, simulation.random()));
    }
    simulation.run(TIME);
    simulation.calm();
    ResourceStore store = simulation.store();
    for (String each : NODES) {
      returned(store, each);
    }
    serveOnAllNodes(simulation);
    edit(store, Map::clear);
    simulation.runUntil("detached", LIMIT, s -> isDetached(s) && world.atWork().isEmpty());
    serveOnAllNodes(simulation);
  }

  /**
   * From any state, makes all nodes serve. Then owners leave one after the other, and the last one
   * stays.
   */
  private void serveOnAllNodes(Simulation simulation) throws StorageException {
    ResourceStore store = simulation.store();
    for (String each : NODES) {
      put(store, each);
    }
    simulation.runUntil("served by all", LIMIT, s -> serve(s, "n1", "n2", "n3", "n4"));
    Set<String> left = new TreeSet<>(NODES);
    while (left.size() > 1) {
      String owner = store.get(Volume.KIND, "v").orElseThrow().spec().nodeID();
      takeBack(store, owner);
      left.remove(owner);
      String[] rest = left.toArray(String[]::new);
      simulation.runUntil("served by " + left, LIMIT, s -> serve(s, rest));
    }
  }

  @Test
  void nodesServeThroughAllDisruptions() throws Exception {
    Histories.play(40, seed -> new ServingNodesCrashTest().play(seed, Set.of()));
  }

  /**
   * Only the move of the owner pauses requests; the volume is never detached, and no node is
   * excluded.
   */
  @Test
  void theOwnerMovesAndTheOthersStayAttached() throws Exception {
    Simulation simulation = simulation(3, Faults.NONE, Set.of());
    ResourceStore store = simulation.store();
    simulation.runUntil("made", LIMIT, ServingNodesCrashTest::isDetached);
    for (String each : NODES) {
      put(store, each);
    }
    simulation.runUntil("served by all", LIMIT, s -> serve(s, "n1", "n2", "n3", "n4"));
    String owner = store.get(Volume.KIND, "v").orElseThrow().spec().nodeID();
    Set<String> others = new TreeSet<>(NODES);
    others.remove(owner);
    takeBack(store, owner);
    String[] rest = others.toArray(String[]::new);
    simulation.runUntil(
        "moved",
        LIMIT,
        s -> {
          Volume volume = s.get(Volume.KIND, "v").orElseThrow();
          assertThat(volume.status().state()).isEqualTo(VolumeState.ATTACHED);
          assertThat(world.atWork()).as("nodes that are not told to stop").containsAll(others);
          return serve(s, rest);
        });
  }

  @Test
  void aDeadOwnerIsLeftForAServingNode() throws Exception {
    for (boolean powerCut : new boolean[] {true, false}) {
      new ServingNodesCrashTest().leaveADeadOwner(powerCut);
    }
  }

  private void leaveADeadOwner(boolean powerCut) throws StorageException {
    Simulation simulation = simulation(2, Faults.NONE, Set.of());
    ResourceStore store = simulation.store();
    simulation.runUntil("made", LIMIT, ServingNodesCrashTest::isDetached);
    put(store, "n1");
    simulation.runUntil("attached", LIMIT, s -> serve(s, "n1"));
    put(store, "n2");
    put(store, "n3");
    simulation.runUntil("served", LIMIT, s -> serve(s, "n1", "n2", "n3"));
    lost(store, "n1", powerCut);
    simulation.run(Duration.ofMinutes(10));
    assertThat(store.get(Volume.KIND, "v").orElseThrow().spec().nodeID()).isEqualTo("n1");
    takeBack(store, "n1");
    simulation.runUntil(
        "moved", LIMIT, s -> isSatisfied(s, "n2") && world.writers().equals(Set.of("n2", "n3")));
    returned(store, "n1");
    simulation.runUntil("closed", LIMIT, s -> serve(s, "n2", "n3"));
  }

  @Test
  void findsANodeThatOpensBesideTheOwner() throws Exception {
    assertThat(
            Histories.firstFailure(
                100, seed -> new ServingNodesCrashTest().play(seed, Set.of(Defect.OPENS_BESIDE))))
        .hasMessageContaining("has not closed it");
  }

  @Test
  void findsAnOwnerThatAdmitsNodesForEver() throws Exception {
    assertThat(
            Histories.firstFailure(
                100,
                seed -> new ServingNodesCrashTest().play(seed, Set.of(Defect.LETS_IN_FOR_EVER))))
        .hasMessageContaining("broken: writers");
  }
}
