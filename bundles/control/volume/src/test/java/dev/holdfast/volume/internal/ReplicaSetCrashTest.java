package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attachment.internal.AttachmentReconciler;
import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Volumes that lose replicas, whose replicas users delete, and that users request to have more or
 * fewer replicas, to leave disks and to grow, while nodes die, are partitioned and lose answers. No
 * current replica is ever deleted, and at the end the number and places of the replicas match the
 * requests.
 */
class ReplicaSetCrashTest {
  private static final List<String> NODES = List.of("node-1", "node-2", "node-3");
  private static final List<String> VOLUMES = List.of("a", "b");
  private static final int MOST_ROUNDS = 6;
  private static final List<AttacherProvider> TYPES =
      List.of(Cluster.type("api", 1000, AttacherProvider.Role.WORKLOAD));

  private static Simulation simulation(long seed, VolumePolicy policy, DataPathWorld world)
      throws StorageException {
    DataInvariants data = new DataInvariants(world);
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
            .invariant("a current copy is left", data::currentCopyIsLeft)
            .invariant("no member is deleted", data::noMemberIsDeleted)
            .invariant("few replicas", data::fewReplicas)
            .invariant("the device never shrinks", data::neverShrinks)
            .build();
    for (String node : NODES) {
      simulation.store().create(Cluster.capable(Cluster.node(node, 2)));
    }
    set(simulation.store(), "replica-replenishment-wait-interval", "60");
    return simulation;
  }

  private static void set(ResourceStore store, String name, String value) throws StorageException {
    store.create(Setting.of(name, new SettingSpec(value)));
  }

  private static void play(long seed, VolumePolicy policy) throws StorageException {
    DataPathWorld world = new DataPathWorld();
    Simulation simulation = simulation(seed, policy, world);
    Operators operators = new Operators(simulation, NODES, VOLUMES, world);
    operators.planFor(Duration.ofMinutes(3), 45);
    simulation.run(Duration.ofMinutes(3));
    simulation.calm();
    operators.attachAll();
    simulation.runUntil(
        "every volume has its replicas", Duration.ofMinutes(40), ReplicaSetCrashTest::complete);
    // Replicas with a better place move now. Then no replica moves any more.
    boolean rests = false;
    for (int round = 0; round < MOST_ROUNDS && !rests; round++) {
      List<String> replicas = names(simulation.store());
      simulation.run(Duration.ofMinutes(3));
      rests = complete(simulation.store()) && names(simulation.store()).equals(replicas);
    }
    assertThat(rests).as("comes to rest, seed " + seed).isTrue();
  }

  private static List<String> names(ResourceStore store) throws StorageException {
    return store.list(Replica.KIND, LabelSelector.ALL).items().stream()
        .map(Replica::name)
        .sorted()
        .toList();
  }

  private static boolean complete(ResourceStore store) throws StorageException {
    NodeInventory nodes =
        NodeInventory.of(
            store.list(dev.holdfast.resource.node.Node.KIND, LabelSelector.ALL).items());
    for (Volume volume : store.list(Volume.KIND, LabelSelector.ALL).items()) {
      Optional<Engine> engine = Cluster.engine(store, volume.name());
      List<Replica> replicas =
          store.list(Replica.KIND, LabelSelector.label(Volume.LABEL, volume.name())).items();
      Set<String> places =
          replicas.stream()
              .map(r -> r.spec().nodeID() + "/" + r.spec().diskID())
              .collect(Collectors.toSet());
      boolean settled =
          volume.status().state() == VolumeState.ATTACHED
              && volume.status().robustness() == Robustness.HEALTHY
              && volume.status().lastDegradedAt().isEmpty()
              && volume.status().currentSize().equals(volume.spec().size())
              && !volume.status().expansionRequired()
              && replicas.size() == volume.spec().numberOfReplicas()
              && places.size() == replicas.size()
              && replicas.stream().noneMatch(nodes::isEvicting)
              && replicas.stream().allMatch(r -> r.spec().failedAt().isEmpty())
              && engine.filter(e -> e.spec().rebuildReplica().isEmpty()).isPresent()
              && engine.filter(e -> e.spec().removedReplicas().isEmpty()).isPresent();
      if (!settled) {
        return false;
      }
    }
    return true;
  }

  @Test
  void endsWithTheReplicasThatAreWantedAndLosesNone() throws Exception {
    Histories.play(6, seed -> play(seed, new VolumePlanner()));
  }

  private static void assertFound(String invariant, VolumePolicy policy) throws Exception {
    assertThat(Histories.firstFailure(100, seed -> play(seed, policy)))
        .hasMessageContaining("broken: " + invariant);
  }

  /** Deletes surplus replicas at once, without removing them from the members first. */
  private static VolumePlan deletingMembers(VolumeView view) {
    VolumePlan plan = new VolumePlanner().next(view);
    List<String> removed = plan.engine().map(e -> e.spec().removedReplicas()).orElse(List.of());
    return removed.isEmpty()
        ? plan
        : plan.withDeleted(
            view.replicas().stream().filter(r -> removed.contains(r.name())).toList());
  }

  @Test
  void deletingWhatIsStillAMemberIsFound() throws Exception {
    assertFound("no member is deleted", ReplicaSetCrashTest::deletingMembers);
  }

  /** Treats a replica without a report as gone. */
  private static VolumePlan unheardIsGone(VolumeView view) {
    VolumePlan plan = new VolumePlanner().next(view);
    List<Replica> unheard =
        view.replicas().stream()
            .filter(r -> !r.isBeingDeleted() && r.spec().healthyAt().isPresent())
            .filter(r -> !view.isReady(r.spec().nodeID()))
            .toList();
    return unheard.isEmpty() ? plan : plan.withDeleted(unheard);
  }

  @Test
  void takingAnUnreachableReplicaForGoneIsFound() throws Exception {
    assertFound("no member is deleted", ReplicaSetCrashTest::unheardIsGone);
  }

  /** Trusts an engine's status for any spec, and deletes replicas that it does not list. */
  private static VolumePlan deletingTheUnknown(VolumeView view) {
    VolumePlan plan = new VolumePlanner().next(view);
    List<Replica> unknown =
        view.replicas().stream()
            .filter(r -> !r.isBeingDeleted() && r.spec().healthyAt().isPresent())
            .filter(
                r ->
                    view.engine()
                        .filter(e -> !e.status().replicaModeMap().containsKey(r.name()))
                        .isPresent())
            .toList();
    return unknown.isEmpty() ? plan : plan.withDeleted(unknown);
  }

  @Test
  void takingAnEngineThatSaysNothingForOneThatHasNothingIsFound() throws Exception {
    assertFound("no member is deleted", ReplicaSetCrashTest::deletingTheUnknown);
  }

  /** Releases every replica that a user deletes. */
  private static VolumePlan lettingDeletedOnesGo(VolumeView view) {
    VolumePlan plan = new VolumePlanner().next(view);
    List<Replica> held = view.replicas().stream().filter(view::isHeld).toList();
    return held.isEmpty()
        ? plan
        : plan.withReplicas(held.stream().map(Replica::disposable).toList());
  }

  @Test
  void lettingGoWhatAUserDeletesIsFound() throws Exception {
    assertFound("no member is deleted", ReplicaSetCrashTest::lettingDeletedOnesGo);
  }
}
