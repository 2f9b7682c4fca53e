package dev.holdfast.clone.internal;

import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.error.StorageException;
import dev.holdfast.node.internal.ReplicaReconciler;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.CloneMethod;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.LinkState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Surroundings of the controllers of linked copies in a simulation: a source on both nodes whose
 * replicas fail and return, the volumes' controller, and clients. It follows the rules of the real
 * components, with random delays.
 */
final class LinkedCloneWorld {
  static final String SOURCE = "from";
  private static final String ENGINE = "engine-of-from";
  static final List<String> NODES = List.of("node-1", "node-2");
  private static final List<String> COPIES = List.of("c-0", "c-1");
  private static final String LABEL = "holdfast.dev/volume";
  private static final String FINALIZER = "holdfast.dev/volume";
  private static final Quantity SIZE = Quantity.parse("1Mi");

  private final Random random;
  private final Map<String, Path> disks;
  private boolean calm;
  private int linked;
  private int copied;
  private int undone;

  LinkedCloneWorld(Random random, Map<String, Path> disks) {
    this.random = random;
    this.disks = disks;
  }

  /**
   * Returns the numbers of copies completed by sharing, by copying, and after a failed attempt to
   * share.
   */
  List<Integer> outcomes() {
    return List.of(linked, copied, undone);
  }

  void calm() {
    calm = true;
  }

  void begin(Simulation running) throws StorageException {
    ResourceStore store = running.store();
    for (String node : NODES) {
      store.create(VolumeResources.node(node, disks.get(node)));
    }
    create(SOURCE, VolumeSpec.EMPTY.withSize(SIZE), store);
    for (String node : NODES) {
      createReplica(SOURCE, node, store);
    }
    Engine engine = VolumeResources.engine("node-1", DesireState.RUNNING);
    store.create(
        Engine.of(ENGINE, engine.spec().withVolume(SOURCE))
            .withMetadata(labelled(ObjectMeta.named(ENGINE), SOURCE)));
    work(running);
  }

  private static ObjectMeta labelled(ObjectMeta metadata, String volume) {
    return metadata.withLabels(Map.of(LABEL, volume));
  }

  private static void create(String name, VolumeSpec spec, ResourceStore store)
      throws StorageException {
    Volume volume = Volume.of(name, spec.withDataEngine("fake").withNumberOfReplicas(NODES.size()));
    store.create(volume.withMetadata(volume.metadata().plusFinalizer(FINALIZER)));
  }

  private void createReplica(String volume, String node, ResourceStore store)
      throws StorageException {
    Replica replica = VolumeResources.replica(volume + "-r-" + node, node, disks.get(node));
    store.create(
        replica
            .withMetadata(
                labelled(replica.metadata(), volume).plusFinalizer(ReplicaReconciler.FINALIZER))
            .withSpec(replica.spec().withVolume(volume).withSize(SIZE)));
  }

  private void work(Simulation running) {
    running.after(
        Duration.ofMillis(200L + random.nextInt(1000)),
        store -> {
          work(running);
          wander(store);
          for (Snapshot snapshot : store.list(Snapshot.KIND, LabelSelector.ALL).items()) {
            attend(snapshot, store);
          }
          for (Volume volume : store.list(Volume.KIND, LabelSelector.ALL).items()) {
            if (!volume.name().equals(SOURCE)) {
              attend(volume, store);
            }
          }
        });
  }

  /**
   * Changes the source at random: it is attached most of the time, and mostly has a current
   * replica.
   */
  private void wander(ResourceStore store) throws StorageException {
    boolean away = !calm && random.nextInt(10) == 0;
    Volume source = store.get(Volume.KIND, SOURCE).orElseThrow();
    store.updateStatus(
        source.withStatus(
            source
                .status()
                .withState(away ? VolumeState.DETACHED : VolumeState.ATTACHED)
                .withCurrentNodeID(away ? "" : "node-1")));
    Map<String, ReplicaMode> modes = new HashMap<>();
    for (String node : NODES) {
      boolean lost = !calm && random.nextInt(6) == 0;
      modes.put(SOURCE + "-r-" + node, lost ? ReplicaMode.ERR : ReplicaMode.RW);
    }
    Engine engine = store.get(Engine.KIND, ENGINE).orElseThrow();
    InstanceState state = away ? InstanceState.STOPPED : InstanceState.RUNNING;
    store.updateStatus(
        engine.withStatus(engine.status().withCurrentState(state).withReplicaModeMap(modes)));
  }

  private static void attend(Snapshot snapshot, ResourceStore store) throws StorageException {
    if (snapshot.isBeingDeleted()) {
      if (!snapshot.metadata().hasFinalizer(CloneSource.NEEDED_FINALIZER)) {
        store.update(snapshot.withMetadata(snapshot.metadata().minusFinalizer(Snapshot.FINALIZER)));
      }
    } else if (!snapshot.isRequested()) {
      store.update(snapshot.withMetadata(snapshot.metadata().plusFinalizer(Snapshot.FINALIZER)));
    } else if (!snapshot.status().readyToUse()) {
      store.updateStatus(
          snapshot.withStatus(snapshot.status().withReadyToUse(true).withRestoreSize(SIZE)));
    }
  }

  static List<Replica> replicas(String volume, ResourceStore store) throws StorageException {
    return store.list(Replica.KIND, LabelSelector.label(LABEL, volume)).items();
  }

  /**
   * Acts as the volumes' controller: creates the first replicas, and reports when they are
   * complete.
   */
  private void attend(Volume copy, ResourceStore store) throws StorageException {
    List<Replica> replicas = replicas(copy.name(), store);
    CloneStatus status = copy.status().cloneStatus();
    if (copy.isBeingDeleted()) {
      dispose(copy, replicas, store);
    } else if (copy.status().state() == VolumeState.CREATING) {
      boolean made =
          replicas.size() == NODES.size()
              && replicas.stream().noneMatch(Resource::isBeingDeleted)
              && replicas.stream().allMatch(r -> isMadeRight(r, copy));
      if (made) {
        store.updateStatus(copy.withStatus(copy.status().withState(VolumeState.DETACHED)));
      } else if (status.method() != CloneMethod.UNLINK) {
        fill(copy, replicas, store);
      }
    } else if (copy.isUsableWhileCopied() && random.nextInt(3) == 0) {
      copied++;
      CloneStatus whole = status.withState(CloneState.COMPLETED).withRegionSize(Quantity.ZERO);
      store.updateStatus(
          copy.withStatus(copy.status().withRobustness(Robustness.HEALTHY).withCloneStatus(whole)));
    }
  }

  private void fill(Volume copy, List<Replica> present, ResourceStore store)
      throws StorageException {
    for (String node : NODES) {
      if (present.stream().noneMatch(r -> r.spec().nodeID().equals(node))) {
        createReplica(copy.name(), node, store);
      }
    }
  }

  private static boolean isMadeRight(Replica replica, Volume copy) {
    CloneStatus status = copy.status().cloneStatus();
    boolean right =
        status.method() == CloneMethod.LINK
            ? replica.status().link().says(LinkState.LINKED, status.snapshotUID())
            : status.method() != CloneMethod.UNLINK;
    return replica.status().provisioned() && (right || !copy.awaitsContent());
  }

  private void dispose(Volume copy, List<Replica> replicas, ResourceStore store)
      throws StorageException {
    if (copy.status().state() != VolumeState.DELETING) {
      // Before that, the replicas of a created volume are kept.
      store.updateStatus(copy.withStatus(copy.status().withState(VolumeState.DELETING)));
      return;
    }
    for (Replica replica : replicas) {
      if (!replica.isBeingDeleted()) {
        store.delete(Replica.KIND, replica.name(), replica.metadata().uid());
      }
    }
    if (replicas.isEmpty()) {
      store.update(copy.withMetadata(copy.metadata().minusFinalizer(FINALIZER)));
    }
  }

  /** Counts the reached states at each write. */
  void count(CloneStatus before, CloneStatus after) {
    boolean isNew = before.state() != CloneState.COMPLETED && before.method() != after.method();
    undone += isNew && after.method() == CloneMethod.UNLINK ? 1 : 0;
    boolean whole = before.state() != CloneState.COMPLETED && after.state() == CloneState.COMPLETED;
    linked += whole && after.method() == CloneMethod.LINK ? 1 : 0;
  }

  /** Does a random action of a user. */
  void disturb(ResourceStore store) throws StorageException {
    String copy = COPIES.get(random.nextInt(COPIES.size()));
    switch (random.nextInt(8)) {
      case 0, 1 -> create(copy, copyOf(""), store);
      case 2 -> create(copy, copyOf("mine"), store);
      case 3 -> store.create(Snapshot.of("mine", SnapshotSpec.EMPTY.withVolume(SOURCE)));
      case 4 -> {
        if (random.nextBoolean()) {
          store.delete(Snapshot.KIND, "mine", "");
        } else {
          store.delete(Volume.KIND, copy, "");
        }
      }
      default -> store.delete(Replica.KIND, copy + "-r-" + NODES.get(random.nextInt(2)), "");
    }
  }

  private static VolumeSpec copyOf(String snapshot) {
    return VolumeSpec.EMPTY
        .withSize(SIZE)
        .withCloneSource(Optional.of(new CloneSource(SOURCE, snapshot)));
  }

  /** Returns whether clones are complete or report why not. */
  boolean isSettled(ResourceStore store) throws StorageException {
    return store.list(Volume.KIND, LabelSelector.ALL).items().stream()
        .filter(Volume::awaitsContent)
        .map(copy -> copy.status().cloneStatus())
        .allMatch(s -> s.method() != CloneMethod.UNLINK && !s.message().isEmpty());
  }
}
