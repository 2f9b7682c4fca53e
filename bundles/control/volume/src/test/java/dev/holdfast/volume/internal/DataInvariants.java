package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Invariants of volumes' data at any time. */
final class DataInvariants {
  private static final int MOST = 10;

  private final DataPathWorld world;
  private final Map<String, Quantity> sizes = new HashMap<>();

  DataInvariants(DataPathWorld world) {
    this.world = world;
  }

  private static String identity(Engine engine) {
    return engine.spec().volume() + "/" + engine.metadata().uid();
  }

  private static boolean isKept(ResourceStore store, Engine engine) throws StorageException {
    return store
        .get(Volume.KIND, engine.spec().volume())
        .filter(volume -> !volume.isBeingDeleted())
        .isPresent();
  }

  /** Checks that a volume that was opened once has a current replica with its data. */
  void currentCopyIsLeft(ResourceStore store) throws StorageException {
    for (Engine engine : store.list(Engine.KIND, LabelSelector.ALL).items()) {
      Set<String> members = world.members(identity(engine));
      if (!members.isEmpty() && isKept(store, engine)) {
        assertThat(members).as("members of " + engine.name()).anyMatch(world::hasData);
      }
    }
  }

  /**
   * Checks that a current replica keeps its data and that no controller releases it, even if it is
   * deleted.
   */
  void noMemberIsDeleted(ResourceStore store) throws StorageException {
    for (Engine engine : store.list(Engine.KIND, LabelSelector.ALL).items()) {
      Set<String> members = world.members(identity(engine));
      if (isKept(store, engine)) {
        assertThat(members).as("members of " + engine.name()).allMatch(world::hasData);
        Set<String> deletedByUsers = world.deletedByUsers();
        Set<String> deleted =
            store
                .list(Replica.KIND, LabelSelector.label(Volume.LABEL, engine.spec().volume()))
                .items()
                .stream()
                .filter(replica -> isLetGo(replica, deletedByUsers))
                .map(DataPathWorld::identity)
                .collect(Collectors.toSet());
        assertThat(members).as("members of " + engine.name()).noneMatch(deleted::contains);
      }
    }
  }

  private static boolean isLetGo(Replica replica, Set<String> deletedByUsers) {
    boolean byController =
        replica.isBeingDeleted() && !deletedByUsers.contains(DataPathWorld.identity(replica));
    return byController || replica.isDisposable();
  }

  /** Checks that the number of replicas stays bounded. */
  void fewReplicas(ResourceStore store) throws StorageException {
    for (Volume volume : store.list(Volume.KIND, LabelSelector.ALL).items()) {
      assertThat(store.list(Replica.KIND, LabelSelector.label(Volume.LABEL, volume.name())).items())
          .as("replicas of " + volume.name())
          .hasSizeLessThan(MOST);
    }
  }

  void neverShrinks(ResourceStore store) throws StorageException {
    for (Engine engine : store.list(Engine.KIND, LabelSelector.ALL).items()) {
      Quantity now = engine.status().currentSize();
      Quantity before = sizes.getOrDefault(engine.metadata().uid(), Quantity.ZERO);
      assertThat(now).as("size of " + engine.name()).isGreaterThanOrEqualTo(before);
      sizes.put(engine.metadata().uid(), now);
    }
  }
}
