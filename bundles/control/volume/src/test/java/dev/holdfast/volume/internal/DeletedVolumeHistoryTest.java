package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeState;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.volume.internal.deleted.DeletedVolumeFacts;
import dev.holdfast.volume.internal.deleted.DeletedVolumePlanner;
import dev.holdfast.volume.internal.deleted.DeletedVolumePolicy;
import dev.holdfast.volume.internal.deleted.DeletedVolumeStep;
import dev.holdfast.volume.internal.deleted.DeletedVolumeStep.Action;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Users delete volumes, undelete and purge them, and create volumes of the same names, while nodes
 * crash and writes are lost. Content stays until its grace has passed or a user purges it. A
 * restored volume has its former replicas and snapshots. At the end no content is left.
 */
class DeletedVolumeHistoryTest {
  private static final List<String> NODES = List.of("node-1", "node-2", "node-3");
  private static final List<String> VOLUMES = List.of("a", "b");
  private static final List<String> GRACES = List.of("0s", "40s", "40m", "40m");
  private static final Duration TIME = Duration.ofMinutes(4);
  private static final int ACTIONS = 40;

  /** Maximum difference between the clocks of two simulated nodes. */
  private static final Duration SKEW = Duration.ofMinutes(20);

  /** One history, with the observations of the deleted volumes. */
  private static final class World {
    private final DataPathWorld data = new DataPathWorld();
    private final Map<String, Set<String>> contents = new TreeMap<>();
    private final Map<String, Set<String>> snapshots = new TreeMap<>();
    private final Simulation simulation;

    World(long seed, DeletedVolumePolicy policy) throws StorageException {
      Simulation.Builder builder = Simulation.builder(seed);
      Random agents = new Random(seed);
      for (String node : NODES) {
        builder
            .reconciler(node, () -> new VolumeReconciler(new VolumePlanner(), volume -> List.of()))
            .reconciler(node, () -> new DeletedVolumeReconciler(policy))
            .reconciler(node, () -> new EngineAgent(data, node, agents))
            .reconciler(node, () -> new ReplicaAgent(data));
      }
      simulation =
          builder
              .invariant("content is kept for its grace", this::contentIsKept)
              .invariant("volumes that are made again have their content", this::contentIsBack)
              .invariant("parts have an owner that exists", World::partsHaveOwners)
              .build();
      for (String node : NODES) {
        simulation.store().create(Cluster.node(node, 2));
      }
    }

    private void contentIsKept(ResourceStore store) throws StorageException {
      for (DeletedVolume deleted : all(store, DeletedVolume.KIND)) {
        String uid = deleted.metadata().uid();
        if (!contents.containsKey(uid)) {
          contents.put(uid, contentOf(deleted.name(), store));
          snapshots.put(uid, snapshotsOf(deleted.name(), store));
        }
        if (!deleted.isBeingDeleted() && simulation.clock().instant().isBefore(end(deleted))) {
          assertThat(contents.get(uid)).as(deleted.name()).allMatch(data::hasData);
        }
      }
    }

    /** Returns the earliest time at which a node may find that the grace has passed. */
    private static Instant end(DeletedVolume deleted) {
      Duration grace =
          Duration.between(
              deleted.spec().deletedAt().orElseThrow(), deleted.spec().purgeAt().orElseThrow());
      return deleted.metadata().creationTimestamp().orElseThrow().plus(grace).minus(SKEW);
    }

    private void contentIsBack(ResourceStore store) throws StorageException {
      for (Volume volume : all(store, Volume.KIND)) {
        String from = volume.metadata().annotations().get(DeletedVolume.UNDELETED_ANNOTATION);
        if (from != null && !volume.isBeingDeleted()) {
          assertThat(contentOf(volume.name(), store)).containsAll(contents.get(from));
          assertThat(snapshotsOf(volume.name(), store)).containsAll(snapshots.get(from));
        }
      }
    }

    private Set<String> contentOf(String volume, ResourceStore store) throws StorageException {
      return store.list(Replica.KIND, LabelSelector.label(Volume.LABEL, volume)).items().stream()
          .map(DataPathWorld::identity)
          .filter(data::hasData)
          .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> snapshotsOf(String volume, ResourceStore store)
        throws StorageException {
      return all(store, Snapshot.KIND).stream()
          .filter(snapshot -> snapshot.spec().volume().equals(volume))
          .map(snapshot -> snapshot.metadata().uid())
          .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Checks that all parts have owners, because Kubernetes removes a resource whose owner is gone.
     */
    private static void partsHaveOwners(ResourceStore store) throws StorageException {
      Set<String> owners = new TreeSet<>();
      all(store, Volume.KIND).forEach(volume -> owners.add(volume.metadata().uid()));
      all(store, DeletedVolume.KIND).forEach(deleted -> owners.add(deleted.metadata().uid()));
      for (ResourceKind<?> kind : List.of(Engine.KIND, Replica.KIND)) {
        for (Resource<?> part : all(store, kind)) {
          assertThat(part.metadata().ownerReferences())
              .as(part.name())
              .extracting(OwnerReference::uid)
              .allMatch(owners::contains);
        }
      }
    }

    private void act(ResourceStore store) throws StorageException {
      Random random = simulation.random();
      String name = VOLUMES.get(random.nextInt(VOLUMES.size()));
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> {
          String grace = GRACES.get(random.nextInt(GRACES.size()));
          Volume volume = Cluster.volume(name);
          store.create(volume.withSpec(volume.spec().withDeletionGrace(grace)));
        }
        case 3, 4 -> store.delete(Volume.KIND, name, "");
        case 5 -> undelete(name, store);
        case 6 -> store.delete(DeletedVolume.KIND, name, "");
        default -> snapshot(name, store);
      }
    }

    private static void undelete(String name, ResourceStore store) throws StorageException {
      Optional<DeletedVolume> deleted = store.get(DeletedVolume.KIND, name);
      if (deleted.isPresent()) {
        store.update(deleted.get().withSpec(deleted.get().spec().withUndelete(true)));
      }
    }

    /**
     * Creates a snapshot of a volume that is not being deleted, as the snapshot controller does.
     */
    private void snapshot(String name, ResourceStore store) throws StorageException {
      Optional<Volume> volume =
          store
              .get(Volume.KIND, name)
              .filter(v -> !v.isBeingDeleted() && v.status().state() == VolumeState.DETACHED);
      if (volume.isPresent()) {
        String called = "s-" + Integer.toUnsignedString(simulation.random().nextInt());
        Snapshot wanted = Snapshot.of(called, SnapshotSpec.EMPTY.withVolume(name));
        store.create(
            wanted.withMetadata(
                wanted
                    .metadata()
                    .withOwnerReferences(List.of(OwnerReference.controller(volume.get())))));
      }
    }

    /** Removes volumes that were created too early, because they prevent the undelete. */
    private static void removeOthers(ResourceStore store) throws StorageException {
      for (DeletedVolume deleted : all(store, DeletedVolume.KIND)) {
        Optional<Volume> volume = store.get(Volume.KIND, deleted.name());
        if (deleted.spec().undelete()
            && volume.filter(v -> !deleted.isOf(v) && !deleted.isSourceOf(v)).isPresent()) {
          store.delete(Volume.KIND, deleted.name(), volume.get().metadata().uid());
        }
      }
    }

    private static boolean isSettled(ResourceStore store) throws StorageException {
      removeOthers(store);
      return all(store, DeletedVolume.KIND).stream()
              .allMatch(
                  deleted ->
                      deleted.status().state() == DeletedVolumeState.KEPT
                          && !deleted.spec().undelete())
          && all(store, Volume.KIND).stream()
              .allMatch(
                  volume ->
                      volume.status().state() == VolumeState.DETACHED || isHeld(volume, store));
    }

    private static boolean isHeld(Volume volume, ResourceStore store) {
      try {
        return volume.status().state() == VolumeState.CREATING
            && store.get(DeletedVolume.KIND, volume.name()).isPresent();
      } catch (StorageException e) {
        throw new AssertionError(e);
      }
    }

    private static boolean isEmptied(ResourceStore store) throws StorageException {
      for (Volume volume : all(store, Volume.KIND)) {
        if (!volume.isBeingDeleted()) {
          store.delete(Volume.KIND, volume.name(), volume.metadata().uid());
        }
      }
      for (DeletedVolume deleted : all(store, DeletedVolume.KIND)) {
        if (!deleted.isBeingDeleted()) {
          store.delete(DeletedVolume.KIND, deleted.name(), deleted.metadata().uid());
        }
      }
      return isEmpty(store);
    }

    private static boolean isEmpty(ResourceStore store) throws StorageException {
      return all(store, Volume.KIND).isEmpty()
          && all(store, DeletedVolume.KIND).isEmpty()
          && all(store, Replica.KIND).isEmpty()
          && all(store, Engine.KIND).isEmpty()
          && all(store, VolumeAttachment.KIND).isEmpty();
    }

    void play() throws StorageException {
      for (int i = 0; i < ACTIONS; i++) {
        long millis = 1_000 + (long) (simulation.random().nextDouble() * (TIME.toMillis() - 2_000));
        simulation.after(Duration.ofMillis(millis), this::act);
      }
      simulation.run(TIME);
      simulation.calm();
      simulation.runUntil("requests are met", Duration.ofMinutes(30), World::isSettled);
      simulation.runUntil("all is gone", Duration.ofMinutes(30), World::isEmptied);
    }
  }

  private static <R extends Resource<R>> List<R> all(ResourceStore store, ResourceKind<R> kind)
      throws StorageException {
    return store.list(kind, LabelSelector.ALL).items();
  }

  @Test
  void contentIsKeptReturnedAndRemovedInEveryHistory() throws Exception {
    Histories.play(60, seed -> new World(seed, new DeletedVolumePlanner()).play());
  }

  /** Removes the content at once. */
  private static DeletedVolumeStep ignoringTheGrace(DeletedVolumeFacts facts) {
    DeletedVolumeStep step = new DeletedVolumePlanner().next(facts);
    boolean kept = facts.deleted().status().state() == DeletedVolumeState.KEPT;
    return kept && step.action() == Action.WAIT
        ? new DeletedVolumeStep(Action.PURGE, "", Optional.empty())
        : step;
  }

  @Test
  void findsAGraceThatIsIgnored() throws Exception {
    AssertionError found =
        Histories.firstFailure(
            100, seed -> new World(seed, DeletedVolumeHistoryTest::ignoringTheGrace).play());
    assertThat(found).hasMessageContaining("content is kept for its grace");
  }

  /** Removes the deleted volume before its parts have another owner. */
  private static DeletedVolumeStep forgettingTheParts(DeletedVolumeFacts facts) {
    DeletedVolumeStep step = new DeletedVolumePlanner().next(facts);
    return step.action() == Action.RETURN_PARTS
        ? new DeletedVolumeStep(Action.FORGET, "", Optional.empty())
        : step;
  }

  @Test
  void findsPartsThatAreNotReturned() throws Exception {
    AssertionError found =
        Histories.firstFailure(
            100, seed -> new World(seed, DeletedVolumeHistoryTest::forgettingTheParts).play());
    assertThat(found).hasMessageContaining("parts have an owner");
  }
}
