package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeState;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A deleted volume with the grace of the setting, and its interactions. */
class DeletedVolumeTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final DataPathWorld world = new DataPathWorld();
  private final Simulation simulation =
      Simulation.builder(1)
          .faults(Faults.NONE)
          .reconciler("n1", () -> new VolumeReconciler(new VolumePlanner(), volume -> List.of()))
          .reconciler("n1", DeletedVolumeReconciler::new)
          .reconciler("n1", () -> new ReplicaAgent(world))
          .reconciler("n2", () -> new ReplicaAgent(world))
          .reconciler("n3", () -> new ReplicaAgent(world))
          .build();
  private final ResourceStore store = simulation.store();

  @BeforeEach
  void deleteAVolume() throws StorageException {
    for (String name : List.of("n1", "n2", "n3")) {
      store.create(Cluster.capable(Cluster.node(name, 1)));
    }
    create();
    untilState(VolumeState.DETACHED);
    store.delete(Volume.KIND, "v", "");
    until("kept", s -> state(s).filter(found -> found == DeletedVolumeState.KEPT).isPresent());
  }

  /** Creates a volume with the grace of the setting, which has its default. */
  private void create() throws StorageException {
    Volume volume = Cluster.volume("v");
    store.create(
        volume
            .withSpec(volume.spec().withDeletionGrace(""))
            .withMetadata(volume.metadata().withLabels(Map.of("app", "db"))));
  }

  private void until(String what, Simulation.Goal goal) throws StorageException {
    simulation.runUntil(what, LIMIT, goal);
  }

  private void untilState(VolumeState state) throws StorageException {
    until(
        state.toString(),
        s -> s.get(Volume.KIND, "v").filter(v -> v.status().state() == state).isPresent());
  }

  private static Optional<DeletedVolumeState> state(ResourceStore store) throws StorageException {
    return store.get(DeletedVolume.KIND, "v").map(deleted -> deleted.status().state());
  }

  private DeletedVolume deleted() throws StorageException {
    return store.get(DeletedVolume.KIND, "v").orElseThrow();
  }

  private Map<String, String> parts() throws StorageException {
    Map<String, String> uids =
        store.list(Replica.KIND, LabelSelector.ALL).items().stream()
            .collect(Collectors.toMap(Replica::name, part -> part.metadata().uid()));
    store
        .list(Engine.KIND, LabelSelector.ALL)
        .items()
        .forEach(part -> uids.put(part.name(), part.metadata().uid()));
    return uids;
  }

  @Test
  void defaultGraceIsOneDay() throws Exception {
    assertThat(store.get(Volume.KIND, "v")).isEmpty();
    assertThat(deleted().spec().purgeAt())
        .isEqualTo(deleted().spec().deletedAt().map(time -> time.plus(Duration.ofHours(24))));
  }

  @Test
  void undeleteMakesTheVolumeAgainWithItsParts() throws Exception {
    Map<String, String> before = parts();
    store.update(deleted().withSpec(deleted().spec().withUndelete(true)));
    until("undeleted", s -> s.get(DeletedVolume.KIND, "v").isEmpty());
    untilState(VolumeState.DETACHED);
    assertThat(parts()).isEqualTo(before).hasSize(4);
    assertThat(store.get(Volume.KIND, "v").orElseThrow().metadata().labels())
        .containsEntry("app", "db");
  }

  @Test
  void secondVolumeOfTheNameWaitsUntilTheFirstIsPurged() throws Exception {
    Map<String, String> before = parts();
    create();
    until("held", s -> reason(s).filter("NameKept"::equals).isPresent());
    assertThat(parts()).isEqualTo(before);
    store.delete(DeletedVolume.KIND, "v", "");
    untilState(VolumeState.DETACHED);
    assertThat(parts().values()).doesNotContainAnyElementsOf(before.values()).hasSize(4);
  }

  private static Optional<String> reason(ResourceStore store) throws StorageException {
    return store
        .get(Volume.KIND, "v")
        .flatMap(v -> Condition.find(v.status().conditions(), Volume.SCHEDULED_CONDITION))
        .map(Condition::reason);
  }

  @Test
  void heldVolumeIsDeletedWithoutTheContentOfTheFirst() throws Exception {
    Map<String, String> before = parts();
    create();
    until("held", s -> reason(s).isPresent());
    store.delete(Volume.KIND, "v", "");
    until("gone", s -> s.get(Volume.KIND, "v").isEmpty());
    assertThat(parts()).isEqualTo(before);
  }

  @Test
  void drainedDiskIsNamedWithTheRemedies() throws Exception {
    Node node = store.get(Node.KIND, "n2").orElseThrow();
    store.update(node.withSpec(node.spec().withEvictionRequested(true)));
    until("told", s -> !deleted().status().message().isEmpty());
    assertThat(deleted().status().message())
        .contains("to be drained", "'holdfast volume purge v'", "undelete v'");
  }

  @Test
  void purgeDoesNotWaitForANodeThatWasRemoved() throws Exception {
    store.delete(Node.KIND, "n3", "");
    simulation.crash("n3");
    store.delete(DeletedVolume.KIND, "v", "");
    until("purged", s -> s.get(DeletedVolume.KIND, "v").isEmpty());
    assertThat(parts()).isEmpty();
  }
}
