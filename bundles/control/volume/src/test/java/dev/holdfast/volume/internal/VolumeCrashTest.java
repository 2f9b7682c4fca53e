package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attachment.internal.AttachmentReconciler;
import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * The controllers of volumes and attachments on three nodes with all kinds of faults: they must
 * keep their invariants, and reach the requested state once the faults have ended.
 */
class VolumeCrashTest {
  private static final List<String> NODES = List.of("node-1", "node-2", "node-3");
  private static final List<String> VOLUMES = List.of("a", "b");
  private static final List<AttacherProvider> TYPES =
      List.of(
          Cluster.type("api", 1000, AttacherProvider.Role.WORKLOAD),
          Cluster.type("csi-attacher", 900, AttacherProvider.Role.WORKLOAD),
          Cluster.type("backup-controller", 800, AttacherProvider.Role.INTERRUPTIBLE));

  private static Simulation simulation(long seed, VolumePolicy policy, DataPathWorld world)
      throws StorageException {
    AttachmentInvariants invariants = new AttachmentInvariants(world);
    Simulation.Builder builder = Simulation.builder(seed);
    java.util.Random agents = new java.util.Random(seed);
    for (String node : NODES) {
      builder
          .reconciler(node, () -> new VolumeReconciler(policy, volume -> List.of()))
          .reconciler(node, () -> new AttachmentReconciler(TYPES))
          .reconciler(node, () -> new EngineAgent(world, node, agents))
          .reconciler(node, () -> new ReplicaAgent(world));
    }
    Simulation simulation =
        builder
            .invariant("one node has it open", invariants::oneOpen)
            .invariant("nodeID changes through empty", invariants::nodeChangesThroughEmpty)
            .invariant("satisfied was attached", invariants::satisfiedWasAttached)
            .invariant("replicas outlive the engine", invariants::replicasOutliveEngine)
            .invariant("nothing open without engine", invariants::nothingOpenWithoutEngine)
            .build();
    for (String node : NODES) {
      simulation.store().create(Cluster.node(node, 2));
    }
    return simulation;
  }

  private static void play(long seed, VolumePolicy policy) throws StorageException {
    DataPathWorld world = new DataPathWorld();
    Simulation simulation = simulation(seed, policy, world);
    Tenants tenants = new Tenants(simulation, NODES, VOLUMES);
    tenants.planFor(Duration.ofMinutes(2), 30);
    simulation.run(Duration.ofMinutes(2));
    simulation.calm();
    simulation.runUntil(
        "every volume is where a ticket wants it",
        Duration.ofMinutes(10),
        store -> converged(store, world));
    tenants.releaseAll();
    simulation.runUntil(
        "without tickets all is detached",
        Duration.ofMinutes(10),
        store -> converged(store, world));
    tenants.deleteAll();
    simulation.runUntil("all is gone", Duration.ofMinutes(10), VolumeCrashTest::isEmpty);
  }

  private static boolean isEmpty(ResourceStore store) throws StorageException {
    return store.list(Volume.KIND, LabelSelector.ALL).items().isEmpty()
        && store.list(Replica.KIND, LabelSelector.ALL).items().isEmpty()
        && store.list(Engine.KIND, LabelSelector.ALL).items().isEmpty()
        && store.list(VolumeAttachment.KIND, LabelSelector.ALL).items().isEmpty();
  }

  private static boolean converged(ResourceStore store, DataPathWorld world)
      throws StorageException {
    for (Volume volume : store.list(Volume.KIND, LabelSelector.ALL).items()) {
      Optional<VolumeAttachment> attachment = store.get(VolumeAttachment.KIND, volume.name());
      if (attachment.isEmpty()
          || !AttachmentInvariants.everyTicketIsAnswered(attachment.get())
          || !isSettled(volume, attachment.get(), world)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isSettled(
      Volume volume, VolumeAttachment attachment, DataPathWorld world) {
    boolean wanted = !attachment.spec().attachmentTickets().isEmpty();
    boolean satisfied =
        attachment.status().attachmentTicketStatuses().values().stream()
            .anyMatch(status -> status.satisfied());
    if (!wanted) {
      return volume.status().state() == VolumeState.DETACHED
          && volume.status().replicas().size() == 3
          && world.nodes(volume.name()).isEmpty();
    }
    return volume.isBeingDeleted()
        ? volume.status().state() == VolumeState.ATTACHED
        : satisfied
            && volume.status().state() == VolumeState.ATTACHED
            && world.isOpen(volume.name(), volume.status().currentNodeID());
  }

  @Test
  void convergesAndKeepsItsInvariants() throws Exception {
    Histories.play(60, seed -> play(seed, new VolumePlanner()));
  }

  /** Treats a request to stop as if the engine had stopped. */
  private static VolumePlan trustingTheSpec(VolumeView view) {
    Optional<Engine> believed =
        view.engine()
            .filter(e -> e.spec().desireState() == DesireState.STOPPED)
            .map(Plans::asStopped);
    VolumePlan plan =
        new VolumePlanner().next(believed.isEmpty() ? view : view.withEngine(believed));
    return plan.withEngine(
        plan.engine().flatMap(e -> view.engine().map(real -> real.withSpec(e.spec()))));
  }

  @Test
  void findsAnEngineThatIsBelievedToHaveStopped() throws Exception {
    AssertionError found =
        Histories.firstFailure(100, seed -> play(seed, VolumeCrashTest::trustingTheSpec));
    assertThat(found).hasMessageContaining("broken");
  }

  /** Stops replicas together with their engine. */
  private static VolumePlan stoppingAllAtOnce(VolumeView view) {
    VolumePlan plan = new VolumePlanner().next(view);
    boolean closing =
        plan.engine().filter(e -> e.spec().desireState() == DesireState.STOPPED).isPresent();
    return closing ? Plans.withReplicasStopped(plan, view.replicas()) : plan;
  }

  @Test
  void findsReplicasThatStopBeforeTheirEngine() throws Exception {
    AssertionError found =
        Histories.firstFailure(100, seed -> play(seed, VolumeCrashTest::stoppingAllAtOnce));
    assertThat(found).hasMessageContaining("replicas outlive");
  }

  /** Reports a volume as attached as soon as it is requested. */
  private static VolumePlan attachedBySpec(VolumeView view) {
    VolumePlan plan = new VolumePlanner().next(view);
    return plan.status().state() == VolumeState.ATTACHING
        ? plan.withStatus(
            plan.status()
                .withState(VolumeState.ATTACHED)
                .withCurrentNodeID(view.volume().spec().nodeID())
                .withEndpoint("nbd://somewhere"))
        : plan;
  }

  @Test
  void anAttachedVolumeThatIsNotOpenDoesNotSatisfyATicket() throws Exception {
    // The attachment controller reads the engine itself, so this defect does not affect it.
    Histories.play(10, seed -> play(seed, VolumeCrashTest::attachedBySpec));
  }
}
