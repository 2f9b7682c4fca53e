package dev.holdfast.attachment.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A volume that moves in use between nodes that die, are partitioned and return at any time. */
class MovingCrashTest {
  private static final List<String> NODES = List.of("n1", "n2", "n3");
  private static final Duration TIME = Duration.ofMinutes(2);
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final MovingWorld world = new MovingWorld();
  private String node = "";
  private String target = "";
  private boolean prepared;

  private Simulation simulation(long seed, Faults faults, Supplier<AttachmentPolicy> policy) {
    Random agents = new Random(seed);
    List<AttacherProvider> types = List.copyOf(Case.TYPES.values());
    Simulation.Builder builder = Simulation.builder(seed).faults(faults);
    for (String name : NODES) {
      builder
          .reconciler(name, () -> new AttachmentReconciler(types, policy.get()))
          .reconciler(name, LostEngineReconciler::new)
          .reconciler(name, () -> new MovingVolumeAgent(world, agents))
          .reconciler(name, () -> new MovingEngineAgent(world, agents));
    }
    return builder
        .invariant("node", this::nodeChangesThroughEmptyOrByAMove)
        .invariant("one owner", this::onePairAtMostAndOneOwner)
        .build();
  }

  private void nodeChangesThroughEmptyOrByAMove(ResourceStore store) throws StorageException {
    if (!prepared) {
      return;
    }
    Volume volume = store.get(Volume.KIND, "v").orElseThrow();
    String now = volume.spec().nodeID();
    assertThat(node.isEmpty() || now.isEmpty() || node.equals(now) || target.equals(now))
        .as("from " + node + " to " + now + ", ready at " + target)
        .isTrue();
    node = now;
    target = volume.status().currentMigrationNodeID();
  }

  /**
   * Two engines may have the volume open, but only while it moves, and only one of them owns it.
   */
  private void onePairAtMostAndOneOwner(ResourceStore store) throws StorageException {
    if (!prepared) {
      return;
    }
    Volume volume = store.get(Volume.KIND, "v").orElseThrow();
    assertThat(world.owners()).as("owners").hasSizeLessThanOrEqualTo(1);
    boolean settled =
        volume.spec().migrationNodeID().isEmpty()
            && volume.status().currentMigrationNodeID().isEmpty()
            && isAttached(store, volume.spec().nodeID())
            && MovingVolumeAgent.running(store) == 1;
    if (settled) {
      assertThat(world.owners())
          .as("owners of a settled volume")
          .isSubsetOf(volume.spec().nodeID());
    }
  }

  private void prepare(ResourceStore store) throws StorageException {
    AttachmentView view = Case.detached().rwx(true).view(List.of());
    for (Node each : view.nodes()) {
      store.create(each);
    }
    store.create(view.volume().orElseThrow());
    for (String engine : MovingVolumeAgent.ENGINES) {
      store.create(Case.engine(engine, EngineSpec.EMPTY.withVolume("v")));
    }
    store.create(VolumeAttachment.of("v", new VolumeAttachmentSpec("v", Map.of())));
    prepared = true;
  }

  private static void edit(ResourceStore store, Consumer<Map<String, AttachmentTicket>> edit)
      throws StorageException {
    VolumeAttachment attachment = store.get(VolumeAttachment.KIND, "v").orElseThrow();
    Map<String, AttachmentTicket> tickets =
        new LinkedHashMap<>(attachment.spec().attachmentTickets());
    edit.accept(tickets);
    store.update(attachment.withSpec(attachment.spec().withAttachmentTickets(tickets)));
  }

  private static void put(ResourceStore store, String id, String on) throws StorageException {
    AttachmentTicket ticket = AttachmentTicket.of(id, "csi-attacher", on, Map.of(), 0);
    edit(store, tickets -> tickets.put(id, ticket));
  }

  private void act(ResourceStore store, Random random) throws StorageException {
    String on = NODES.get(random.nextInt(NODES.size()));
    String id = "t" + random.nextInt(2);
    switch (random.nextInt(6)) {
      case 0 -> dies(store, on, random.nextBoolean());
      case 1 -> returns(store, on);
      case 2 -> edit(store, tickets -> tickets.remove(id));
      case 3 -> edit(store, Map::clear);
      default -> put(store, id, on);
    }
  }

  private void dies(ResourceStore store, String which, boolean powerCut) throws StorageException {
    world.dies(which, powerCut);
    ready(store, which, Condition.Status.UNKNOWN);
  }

  private void returns(ResourceStore store, String which) throws StorageException {
    world.returns(which);
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
    VolumeAttachment attachment = store.get(VolumeAttachment.KIND, "v").orElseThrow();
    AttachmentTicketStatus status = attachment.status().attachmentTicketStatuses().get(ticket);
    return status != null
        && status.satisfied()
        && status.generation() == attachment.spec().attachmentTickets().get(ticket).generation();
  }

  private static boolean isAttached(ResourceStore store, String where) throws StorageException {
    Volume volume = store.get(Volume.KIND, "v").orElseThrow();
    return volume.status().state() == VolumeState.ATTACHED
        && volume.spec().nodeID().equals(where)
        && volume.status().currentNodeID().equals(where);
  }

  private void play(long seed, Supplier<AttachmentPolicy> policy) throws StorageException {
    Simulation simulation = simulation(seed, Faults.ALL, policy);
    prepare(simulation.store());
    for (int i = 0; i < 25; i++) {
      int millis = simulation.random().nextInt((int) TIME.toMillis());
      simulation.after(Duration.ofMillis(millis), s -> act(s, simulation.random()));
    }
    simulation.run(TIME);
    simulation.calm();
    ResourceStore store = simulation.store();
    for (String each : NODES) {
      returns(store, each);
    }
    edit(store, Map::clear);
    put(store, "last", "n2");
    simulation.runUntil("attached", LIMIT, s -> isSatisfied(s, "last") && isAttached(s, "n2"));
    put(store, "next", "n3");
    simulation.runUntil(
        "ready to move", LIMIT, s -> isSatisfied(s, "last") && isSatisfied(s, "next"));
    edit(store, tickets -> tickets.remove("last"));
    simulation.runUntil("moved", LIMIT, s -> isSatisfied(s, "next") && isAttached(s, "n3"));
    simulation.runUntil(
        "only there", LIMIT, s -> world.openAndAlive().equals(java.util.Set.of("n3")));
    edit(store, Map::clear);
    simulation.runUntil(
        "detached",
        LIMIT,
        s ->
            s.get(Volume.KIND, "v").orElseThrow().status().state() == VolumeState.DETACHED
                && world.openAndAlive().isEmpty());
  }

  @Test
  void movesThroughAllDisruptions() throws Exception {
    Histories.play(60, seed -> new MovingCrashTest().play(seed, AttachmentRules::new));
  }

  @Test
  void aMoveKeepsANodeServingAtAnyTime() throws Exception {
    Simulation simulation = simulation(1, Faults.NONE, AttachmentRules::new);
    ResourceStore store = simulation.store();
    prepare(store);
    put(store, "source", "n1");
    simulation.runUntil("attached", LIMIT, s -> isSatisfied(s, "source"));
    boolean[] interrupted = new boolean[1];
    put(store, "target", "n2");
    simulation.runUntil(
        "moved",
        LIMIT,
        s -> {
          interrupted[0] |= world.owners().isEmpty();
          if (isSatisfied(s, "target")
              && s.get(VolumeAttachment.KIND, "v")
                  .orElseThrow()
                  .spec()
                  .attachmentTickets()
                  .containsKey("source")) {
            edit(s, tickets -> tickets.remove("source"));
          }
          return isAttached(s, "n2") && world.openAndAlive().equals(java.util.Set.of("n2"));
        });
    assertThat(interrupted[0]).isFalse();
  }

  @Test
  void aVolumeLeavesAPermanentlyLostNodeWhenItsTicketIsReplaced() throws Exception {
    for (boolean powerCut : new boolean[] {true, false}) {
      new MovingCrashTest().leaveALostNode(powerCut);
    }
  }

  private void leaveALostNode(boolean powerCut) throws StorageException {
    Simulation simulation = simulation(2, Faults.NONE, AttachmentRules::new);
    ResourceStore store = simulation.store();
    prepare(store);
    put(store, "old", "n1");
    simulation.runUntil("attached", LIMIT, s -> isSatisfied(s, "old"));
    dies(store, "n1", powerCut);
    simulation.run(Duration.ofHours(1));
    assertThat(store.get(Volume.KIND, "v").orElseThrow().spec().nodeID()).isEqualTo("n1");
    edit(store, Map::clear);
    put(store, "new", "n2");
    simulation.runUntil("attached", LIMIT, s -> isSatisfied(s, "new") && isAttached(s, "n2"));
    assertThat(world.owners()).containsExactly("n2");
    returns(store, "n1");
    simulation.runUntil("closed", LIMIT, s -> !world.isOpen("n1"));
    assertThat(world.owners()).containsExactly("n2");
  }

  /** Confirms the move as soon as the source's ticket is gone, even if the target is not ready. */
  private static Decision hasty(AttachmentView view) {
    Decision decision = new AttachmentRules().next(view);
    Volume volume = view.volume().orElseThrow();
    String where = volume.spec().migrationNodeID();
    boolean left =
        !where.isEmpty()
            && view.attachment().spec().attachmentTickets().values().stream()
                .noneMatch(ticket -> ticket.nodeID().equals(volume.spec().nodeID()))
            && decision.volumeSpec().orElseThrow().nodeID().isEmpty();
    return left
        ? new Decision(
            decision.volumeSpec().map(spec -> spec.withNodeID(where).withMigrationNodeID("")),
            decision.status())
        : decision;
  }

  @Test
  void findsAVolumeThatIsSwitchedToATargetThatIsNotPrepared() throws Exception {
    assertThat(
            Histories.firstFailure(
                100, seed -> new MovingCrashTest().play(seed, () -> MovingCrashTest::hasty)))
        .hasMessageContaining("broken: node");
  }
}
