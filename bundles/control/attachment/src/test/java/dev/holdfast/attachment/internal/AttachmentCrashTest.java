package dev.holdfast.attachment.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Tickets that are created, changed and deleted while faults of all kinds occur, and planted
 * defects that must be found.
 */
class AttachmentCrashTest {
  private static final List<String> NODES = List.of("n1", "n2", "n3");
  private static final List<String> KINDS =
      List.of("api", "csi-attacher", "backup-controller", Case.URGENT);
  private static final Set<String> INTERRUPTIBLE = Set.of("backup-controller", Case.URGENT);

  /**
   * Maximum number of moves: twenty changes of tickets cause fewer, but a volume that moves
   * endlessly has more.
   */
  private static final int MOST_MOVES = 100;

  private static final Duration TIME = Duration.ofSeconds(100);

  /** Observations of the volume so far. */
  private static final class Observer {
    private final Set<String> seenAttached = new HashSet<>();
    private String node = "";
    private boolean mayLeave;
    private int moves;

    void nodeChangesThroughEmptyAndForAReason(ResourceStore store) throws StorageException {
      Volume volume = store.get(Volume.KIND, "v").orElseThrow();
      String now = volume.spec().nodeID();
      assertThat(node.isEmpty() || now.isEmpty() || node.equals(now))
          .as("from " + node + " to " + now)
          .isTrue();
      if (now.isEmpty() && !node.isEmpty()) {
        assertThat(mayLeave).as("left " + node + " although a ticket held it there").isTrue();
      }
      if (!now.equals(node)) {
        moves++;
        assertThat(moves).as("moves of one volume").isLessThan(MOST_MOVES);
        mayLeave = false;
      }
      node = now;
      mayLeave |= !now.isEmpty() && maySeeReason(store, now);
    }

    /**
     * Returns whether no ticket holds the volume on a node, or only maintenance does while a
     * workload waits for another node.
     */
    private static boolean maySeeReason(ResourceStore store, String node) throws StorageException {
      var tickets =
          store.get(VolumeAttachment.KIND, "v").orElseThrow().spec().attachmentTickets().values();
      boolean held =
          tickets.stream().anyMatch(t -> holds(t, node) && !INTERRUPTIBLE.contains(t.type()));
      boolean maintained = tickets.stream().anyMatch(t -> holds(t, node));
      boolean waiting =
          tickets.stream().anyMatch(t -> !holds(t, node) && !INTERRUPTIBLE.contains(t.type()));
      return !held && (!maintained || waiting);
    }

    private static boolean holds(AttachmentTicket ticket, String node) {
      return ticket.nodeID().isEmpty() || ticket.nodeID().equals(node);
    }

    void satisfiedWasAttached(ResourceStore store) throws StorageException {
      Volume volume = store.get(Volume.KIND, "v").orElseThrow();
      VolumeAttachment attachment = store.get(VolumeAttachment.KIND, "v").orElseThrow();
      boolean attached =
          volume.status().state() == VolumeState.ATTACHED
              && volume.status().currentNodeID().equals(volume.spec().nodeID());
      for (AttachmentTicket ticket : attachment.spec().attachmentTickets().values()) {
        String key = ticket.id() + "/" + ticket.generation();
        if (attached && holds(ticket, volume.spec().nodeID())) {
          seenAttached.add(key);
        }
        AttachmentTicketStatus status =
            attachment.status().attachmentTicketStatuses().get(ticket.id());
        boolean answers =
            status != null && status.satisfied() && status.generation() == ticket.generation();
        assertThat(!answers || seenAttached.contains(key)).as("satisfied " + ticket).isTrue();
      }
    }
  }

  private static void play(long seed, Supplier<AttachmentPolicy> policy) throws StorageException {
    play(seed, policy, random -> List.copyOf(Case.TYPES.values()), () -> {});
  }

  /**
   * Runs a history.
   *
   * @param installed the attacher types that are installed when a node starts
   * @param calm called before all faults end
   */
  private static void play(
      long seed,
      Supplier<AttachmentPolicy> policy,
      Function<Random, List<AttacherProvider>> installed,
      Runnable calm)
      throws StorageException {
    Observer observer = new Observer();
    Random agents = new Random(seed);
    Simulation.Builder builder = Simulation.builder(seed);
    for (String node : NODES) {
      builder.reconciler(
          node, () -> new AttachmentReconciler(installed.apply(agents), policy.get()));
    }
    ResourceStore[] prepared = new ResourceStore[1];
    Simulation simulation =
        builder
            .reconciler("n1", () -> new VolumeAgent(agents))
            .invariant(
                "node",
                s -> ifPrepared(prepared, observer::nodeChangesThroughEmptyAndForAReason, s))
            .invariant("satisfied", s -> ifPrepared(prepared, observer::satisfiedWasAttached, s))
            .build();
    prepare(simulation.store());
    prepared[0] = simulation.store();
    for (int i = 0; i < 20; i++) {
      int millis = simulation.random().nextInt((int) TIME.toMillis());
      simulation.after(Duration.ofMillis(millis), s -> act(s, simulation.random()));
    }
    simulation.run(TIME);
    calm.run();
    NODES.forEach(simulation::crash);
    simulation.calm();
    simulation.runUntil("settled", Duration.ofMinutes(5), AttachmentCrashTest::isSettled);
    edit(simulation.store(), Map::clear);
    simulation.runUntil("detached", Duration.ofMinutes(5), AttachmentCrashTest::isSettled);
  }

  private static void ifPrepared(
      ResourceStore[] prepared, Simulation.Invariant invariant, ResourceStore store)
      throws StorageException {
    if (prepared[0] != null) {
      invariant.check(store);
    }
  }

  private static void prepare(ResourceStore store) throws StorageException {
    for (Node node : Case.detached().view(List.of()).nodes()) {
      store.create(node);
    }
    Volume volume = Case.detached().view(List.of()).volume().orElseThrow();
    store.create(volume);
    store.create(Case.engine("v-e-0", EngineSpec.EMPTY.withVolume("v")));
    store.create(VolumeAttachment.of("v", new VolumeAttachmentSpec("v", Map.of())));
  }

  private static void act(ResourceStore store, Random random) throws StorageException {
    String id = "t" + random.nextInt(3);
    if (random.nextInt(3) == 0) {
      edit(store, tickets -> tickets.remove(id));
      return;
    }
    String node = random.nextInt(6) == 0 ? "" : NODES.get(random.nextInt(NODES.size()));
    String type = KINDS.get(random.nextInt(KINDS.size()));
    edit(store, tickets -> tickets.put(id, AttachmentTicket.of(id, type, node, Map.of(), 0)));
  }

  private interface Edit {
    void apply(Map<String, AttachmentTicket> tickets);
  }

  private static void edit(ResourceStore store, Edit edit) throws StorageException {
    VolumeAttachment attachment = store.get(VolumeAttachment.KIND, "v").orElseThrow();
    Map<String, AttachmentTicket> tickets =
        new LinkedHashMap<>(attachment.spec().attachmentTickets());
    edit.apply(tickets);
    store.update(attachment.withSpec(attachment.spec().withAttachmentTickets(tickets)));
  }

  private static boolean isSettled(ResourceStore store) throws StorageException {
    Volume volume = store.get(Volume.KIND, "v").orElseThrow();
    VolumeAttachment attachment = store.get(VolumeAttachment.KIND, "v").orElseThrow();
    Map<String, AttachmentTicketStatus> statuses = attachment.status().attachmentTicketStatuses();
    Map<String, AttachmentTicket> tickets = attachment.spec().attachmentTickets();
    if (tickets.isEmpty()) {
      return volume.status().state() == VolumeState.DETACHED
          && volume.spec().nodeID().isEmpty()
          && statuses.isEmpty();
    }
    boolean answered =
        tickets.values().stream()
            .allMatch(
                t ->
                    Optional.ofNullable(statuses.get(t.id()))
                        .filter(s -> s.generation() == t.generation())
                        .filter(s -> !s.conditions().get(0).reason().isEmpty())
                        .isPresent());
    return answered
        && statuses.keySet().equals(tickets.keySet())
        && statuses.values().stream().anyMatch(AttachmentTicketStatus::satisfied);
  }

  /** Bundles are updated and replaced, so that the installed attachers change. */
  @Test
  void addedAndRemovedAttachersDetachNoHeldVolume() throws Exception {
    Histories.play(
        100,
        seed -> {
          boolean[] complete = new boolean[1];
          play(
              seed,
              AttachmentRules::new,
              random -> {
                List<AttacherProvider> types = new ArrayList<>(Case.TYPES.values());
                types.removeIf(type -> !complete[0] && random.nextInt(3) == 0);
                return types;
              },
              () -> complete[0] = true);
        });
  }

  @Test
  void convergesAndKeepsItsInvariants() throws Exception {
    Histories.play(200, seed -> play(seed, AttachmentRules::new));
  }

  private static Optional<AttachmentTicket> top(AttachmentView view) {
    return view.attachment().spec().attachmentTickets().values().stream()
        .filter(ticket -> !ticket.nodeID().isEmpty())
        .max(
            java.util.Comparator.comparingInt(
                ticket ->
                    Optional.ofNullable(view.types().get(ticket.type()))
                        .map(AttacherProvider::priority)
                        .orElse(0)));
  }

  private static Decision withNode(Decision decision, String node) {
    VolumeSpec spec = decision.volumeSpec().orElseThrow().withNodeID(node);
    return new Decision(Optional.of(spec), decision.status());
  }

  private static Decision switching(AttachmentView view) {
    Decision decision = new AttachmentRules().next(view);
    boolean attached = !view.volume().orElseThrow().spec().nodeID().isEmpty();
    Optional<AttachmentTicket> top = top(view);
    return attached && top.isPresent() ? withNode(decision, top.get().nodeID()) : decision;
  }

  @Test
  void findsANodeThatIsSwitchedWithoutDetaching() throws Exception {
    assertThat(Histories.firstFailure(50, seed -> play(seed, () -> AttachmentCrashTest::switching)))
        .hasMessageContaining("broken: node");
  }

  private static Decision preempting(AttachmentView view) {
    Decision decision = new AttachmentRules().next(view);
    String node = view.volume().orElseThrow().spec().nodeID();
    Optional<AttachmentTicket> top = top(view);
    return !node.isEmpty() && top.isPresent() && !top.get().nodeID().equals(node)
        ? withNode(decision, "")
        : decision;
  }

  @Test
  void findsPriorityThatPreempts() throws Exception {
    assertThat(
            Histories.firstFailure(50, seed -> play(seed, () -> AttachmentCrashTest::preempting)))
        .hasMessageContaining("although a ticket held it there");
  }

  private static Decision selectingByPriority(AttachmentView view) {
    Decision decision = new AttachmentRules().next(view);
    boolean detached = view.volume().orElseThrow().spec().nodeID().isEmpty();
    boolean attaches = !decision.volumeSpec().orElseThrow().nodeID().isEmpty();
    Optional<AttachmentTicket> top = top(view);
    return detached && attaches && top.isPresent()
        ? withNode(decision, top.get().nodeID())
        : decision;
  }

  @Test
  void findsAnInterruptibleTicketThatIsSelectedAgainAndAgain() throws Exception {
    assertThat(
            Histories.firstFailure(
                50, seed -> play(seed, () -> AttachmentCrashTest::selectingByPriority)))
        .hasMessageContaining("moves of one volume");
  }

  private static Decision satisfiedBySpec(AttachmentView view) {
    Decision decision = new AttachmentRules().next(view);
    String node = decision.volumeSpec().orElseThrow().nodeID();
    Map<String, AttachmentTicketStatus> statuses = new TreeMap<>();
    decision
        .status()
        .attachmentTicketStatuses()
        .forEach(
            (id, status) ->
                statuses.put(
                    id,
                    status.withSatisfied(
                        !node.isEmpty()
                            && node.equals(
                                view.attachment().spec().attachmentTickets().get(id).nodeID()))));
    return new Decision(
        decision.volumeSpec(), decision.status().withAttachmentTicketStatuses(statuses));
  }

  @Test
  void findsTicketsThatAreSatisfiedByTheSpec() throws Exception {
    assertThat(
            Histories.firstFailure(
                50, seed -> play(seed, () -> AttachmentCrashTest::satisfiedBySpec)))
        .hasMessageContaining("broken: satisfied");
  }

  /**
   * Releases the volume only when it observes the removal of the last ticket, which a restart
   * misses.
   */
  private static final class EdgeTriggered implements AttachmentPolicy {
    private boolean held;

    @Override
    public Decision next(AttachmentView view) {
      Decision decision = new AttachmentRules().next(view);
      boolean holds = !view.attachment().spec().attachmentTickets().isEmpty();
      String node = view.volume().orElseThrow().spec().nodeID();
      boolean edge = held && !holds;
      held = holds;
      return holds || edge ? decision : withNode(decision, node);
    }
  }

  @Test
  void findsAReleaseThatIsTriggeredByAnEdge() throws Exception {
    assertThat(Histories.firstFailure(100, seed -> play(seed, EdgeTriggered::new)))
        .hasMessageContaining("not reached");
  }
}
