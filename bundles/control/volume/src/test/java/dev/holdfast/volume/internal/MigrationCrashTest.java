package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
 * A volume that moves in use, with both controllers, between nodes that die, are partitioned and
 * return at any time. At most one node has it open. A former owner has closed it or was silent.
 * Only a node with a ticket writes.
 */
class MigrationCrashTest {
  private static final List<String> NODES = List.of("n1", "n2", "n3");
  private static final Duration TIME = Duration.ofMinutes(2);
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final List<AttacherProvider> TYPES =
      List.of(Cluster.type("csi-attacher", 900, AttacherProvider.Role.WORKLOAD));

  private final MigrationWorld world = new MigrationWorld();
  private String node = "";
  private String target = "";

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
            .invariant("one owner", this::oneOwner)
            .invariant("node", this::nodeChangesThroughEmptyOrByAMove)
            .invariant("writers", this::onlyWhoIsLetInWrites)
            .build();
    for (String name : NODES) {
      simulation.store().create(Cluster.node(name, 1));
    }
    Volume volume = Cluster.volume("v");
    simulation
        .store()
        .create(
            volume.withSpec(
                volume.spec().withAccessMode(AccessMode.READ_WRITE_MANY).withMigratable(true)));
    return simulation;
  }

  private void oneOwner(ResourceStore store) {
    assertThat(world.owners()).as("owners").hasSizeLessThanOrEqualTo(1);
  }

  private void nodeChangesThroughEmptyOrByAMove(ResourceStore store) throws StorageException {
    Optional<Volume> volume = store.get(Volume.KIND, "v");
    if (volume.isEmpty()) {
      return;
    }
    String now = volume.get().spec().nodeID();
    assertThat(node.isEmpty() || now.isEmpty() || node.equals(now) || target.equals(now))
        .as("from " + node + " to " + now + ", ready at " + target)
        .isTrue();
    node = now;
    target = volume.get().status().currentMigrationNodeID();
  }

  /** Checks that forwarded requests have no effect after the node left or was excluded. */
  private void onlyWhoIsLetInWrites(ResourceStore store) throws StorageException {
    Optional<Engine> engine = Cluster.engine(store, "v");
    if (engine.isEmpty() || !isAttached(store, engine.get().spec().nodeID())) {
      return;
    }
    boolean alone =
        engine.get().spec().migrationNodeID().isEmpty()
            && engine.get().status().migrationNodeID().isEmpty()
            && engine.get().status().observedGeneration() == engine.get().metadata().generation();
    if (alone && world.isCurrent(engine.get().spec().nodeID())) {
      Set<String> others = new TreeSet<>(world.writers());
      others.remove(engine.get().spec().nodeID());
      assertThat(others).as("writers beside " + engine.get().spec().nodeID()).isEmpty();
    }
  }

  private static boolean isAttached(ResourceStore store, String where) throws StorageException {
    Volume volume = store.get(Volume.KIND, "v").orElseThrow();
    return volume.status().state() == VolumeState.ATTACHED
        && volume.spec().nodeID().equals(where)
        && volume.status().currentNodeID().equals(where);
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

  private static void put(ResourceStore store, String id, String on) throws StorageException {
    AttachmentTicket ticket = AttachmentTicket.of(id, "csi-attacher", on, Map.of(), 0);
    edit(store, tickets -> tickets.put(id, ticket));
  }

  private void act(ResourceStore store, Random random) throws StorageException {
    String on = NODES.get(random.nextInt(NODES.size()));
    String id = "t" + random.nextInt(2);
    switch (random.nextInt(8)) {
      case 0 -> lost(store, on, random.nextBoolean());
      case 1, 2 -> returned(store, on);
      case 3 -> edit(store, tickets -> tickets.remove(id));
      case 4 -> edit(store, Map::clear);
      default -> put(store, id, on);
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

  private static boolean isSatisfied(ResourceStore store, String ticket) throws StorageException {
    Optional<VolumeAttachment> attachment = store.get(VolumeAttachment.KIND, "v");
    AttachmentTicketStatus status =
        attachment.map(a -> a.status().attachmentTicketStatuses().get(ticket)).orElse(null);
    return status != null
        && status.satisfied()
        && status.generation()
            == attachment.get().spec().attachmentTickets().get(ticket).generation();
  }

  private static boolean isDetached(ResourceStore store) throws StorageException {
    return store.get(Volume.KIND, "v").orElseThrow().status().state() == VolumeState.DETACHED;
  }

  private void play(long seed, Set<Defect> defects) throws StorageException {
    Simulation simulation = simulation(seed, Faults.ALL, defects);
    for (int i = 0; i < 40; i++) {
      int millis = simulation.random().nextInt((int) TIME.toMillis());
      simulation.after(Duration.ofMillis(millis), s -> act(s, simulation.random()));
    }
    simulation.run(TIME);
    simulation.calm();
    ResourceStore store = simulation.store();
    for (String each : NODES) {
      returned(store, each);
    }
    edit(store, Map::clear);
    simulation.runUntil("detached", LIMIT, s -> isDetached(s) && world.atWork().isEmpty());
    moveOnce(simulation);
  }

  private void moveOnce(Simulation simulation) throws StorageException {
    ResourceStore store = simulation.store();
    put(store, "last", "n2");
    simulation.runUntil("attached", LIMIT, s -> isSatisfied(s, "last") && isAttached(s, "n2"));
    put(store, "next", "n3");
    simulation.runUntil(
        "ready to move", LIMIT, s -> isSatisfied(s, "last") && isSatisfied(s, "next"));
    assertThat(world.writers()).containsExactly("n2", "n3");
    edit(store, tickets -> tickets.remove("last"));
    simulation.runUntil("moved", LIMIT, s -> isSatisfied(s, "next") && isAttached(s, "n3"));
    simulation.runUntil("only there", LIMIT, s -> world.atWork().equals(Set.of("n3")));
    edit(store, Map::clear);
    simulation.runUntil("detached", LIMIT, s -> isDetached(s) && world.atWork().isEmpty());
  }

  @Test
  void movesThroughAllDisruptions() throws Exception {
    Histories.play(40, seed -> new MigrationCrashTest().play(seed, Set.of()));
  }

  @Test
  void aTargetThatIsCutOffWritesNothingOnceItsTicketIsTakenBack() throws Exception {
    Simulation simulation = simulation(1, Faults.NONE, Set.of());
    rollBackACutOffTarget(simulation);
    assertThat(world.writers()).containsExactly("n1");
    returned(simulation.store(), "n2");
    simulation.runUntil("given up", LIMIT, s -> world.atWork().equals(Set.of("n1")));
  }

  private void rollBackACutOffTarget(Simulation simulation) throws StorageException {
    ResourceStore store = simulation.store();
    prepare(simulation);
    lost(store, "n2", false);
    edit(store, tickets -> tickets.remove("target"));
    simulation.runUntil(
        "rolled back",
        LIMIT,
        s ->
            Cluster.engine(s, "v")
                .filter(
                    e ->
                        e.spec().migrationNodeID().isEmpty()
                            && e.status().migrationNodeID().isEmpty()
                            && e.status().observedGeneration() == e.metadata().generation())
                .isPresent());
  }

  private static void prepare(Simulation simulation) throws StorageException {
    ResourceStore store = simulation.store();
    simulation.runUntil("made", LIMIT, MigrationCrashTest::isDetached);
    put(store, "source", "n1");
    simulation.runUntil("attached", LIMIT, s -> isSatisfied(s, "source"));
    put(store, "target", "n2");
    simulation.runUntil("ready to move", LIMIT, s -> isSatisfied(s, "target"));
  }

  @Test
  void aSourceThatDiedIsLeftForTheTarget() throws Exception {
    for (boolean powerCut : new boolean[] {true, false}) {
      new MigrationCrashTest().leaveADeadSource(powerCut);
    }
  }

  private void leaveADeadSource(boolean powerCut) throws StorageException {
    Simulation simulation = simulation(2, Faults.NONE, Set.of());
    ResourceStore store = simulation.store();
    prepare(simulation);
    lost(store, "n1", powerCut);
    simulation.run(Duration.ofMinutes(10));
    assertThat(store.get(Volume.KIND, "v").orElseThrow().spec().nodeID()).isEqualTo("n1");
    edit(store, tickets -> tickets.remove("source"));
    simulation.runUntil("moved", LIMIT, s -> isSatisfied(s, "target") && isAttached(s, "n2"));
    assertThat(world.writers()).containsExactly("n2");
    returned(store, "n1");
    simulation.runUntil("closed", LIMIT, s -> !world.isOpen("n1"));
    assertThat(world.writers()).containsExactly("n2");
  }

  @Test
  void findsATargetThatOpensBesideTheSource() throws Exception {
    assertThat(
            Histories.firstFailure(
                100, seed -> new MigrationCrashTest().play(seed, Set.of(Defect.OPENS_BESIDE))))
        .hasMessageContaining("has not closed it");
  }

  @Test
  void findsASourceThatLetsTheTargetInForEver() throws Exception {
    Simulation simulation = simulation(1, Faults.NONE, Set.of(Defect.LETS_IN_FOR_EVER));
    assertThatThrownBy(() -> rollBackACutOffTarget(simulation))
        .hasMessageContaining("broken: writers");
  }
}
