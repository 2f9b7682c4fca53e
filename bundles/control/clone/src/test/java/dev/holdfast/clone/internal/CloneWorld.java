package dev.holdfast.clone.internal;

import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.datapath.RegionCopyPlan;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.CloneMode;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntSupplier;

/**
 * Surroundings of the controllers of copies in a simulation: clients, an engine with snapshots, and
 * nodes that attach and copy. It follows the rules of the real components, with random delays.
 */
final class CloneWorld {
  static final String SOURCE = "from";
  private static final String FINALIZER = "holdfast.dev/volume";
  private static final List<String> COPIES = List.of("c-0", "c-1", "c-2");
  private static final Quantity SIZE = Quantity.parse("5Mi");

  private final IntSupplier thousandths;
  private final Set<String> taken = new HashSet<>();
  private boolean calm;
  private int copied;

  CloneWorld(IntSupplier thousandths) {
    this.thousandths = thousandths;
  }

  /** Whether the engine has a snapshot. */
  boolean taken(Snapshot snapshot) {
    return taken.contains(snapshot.metadata().uid());
  }

  /** Returns the number of completed copies. */
  int copied() {
    return copied;
  }

  /** Stops the random actions of users. */
  void calm() {
    calm = true;
  }

  void begin(Simulation running) throws StorageException {
    createSource(running.store());
    work(running);
  }

  private void work(Simulation running) {
    running.after(
        Duration.ofMillis(500L + thousandths.getAsInt()),
        store -> {
          work(running);
          for (Snapshot snapshot : store.list(Snapshot.KIND, LabelSelector.ALL).items()) {
            attend(snapshot, store);
          }
          for (Volume volume : store.list(Volume.KIND, LabelSelector.ALL).items()) {
            attend(volume, store);
          }
          if (calm && store.get(Volume.KIND, SOURCE).isEmpty()) {
            createSource(store);
          }
        });
  }

  private static void createSource(ResourceStore store) throws StorageException {
    create(SOURCE, VolumeSpec.EMPTY.withSize(SIZE), store);
  }

  private static void create(String name, VolumeSpec spec, ResourceStore store)
      throws StorageException {
    Volume volume = Volume.of(name, spec);
    store.create(volume.withMetadata(volume.metadata().plusFinalizer(FINALIZER)));
  }

  /** Takes each snapshot once, as the engine does, and removes it when no copy needs it. */
  private void attend(Snapshot snapshot, ResourceStore store) throws StorageException {
    if (snapshot.isBeingDeleted()) {
      if (!snapshot.metadata().hasFinalizer(CloneSource.NEEDED_FINALIZER)) {
        taken.remove(snapshot.metadata().uid());
        store.update(snapshot.withMetadata(snapshot.metadata().minusFinalizer(Snapshot.FINALIZER)));
      }
    } else if (!snapshot.isRequested()) {
      store.update(snapshot.withMetadata(snapshot.metadata().plusFinalizer(Snapshot.FINALIZER)));
    } else if (!snapshot.status().readyToUse()) {
      taken.add(snapshot.metadata().uid());
      store.updateStatus(
          snapshot.withStatus(snapshot.status().withReadyToUse(true).withRestoreSize(SIZE)));
    }
  }

  private void attend(Volume volume, ResourceStore store) throws StorageException {
    boolean needed = volume.metadata().hasFinalizer(CloneSource.NEEDED_FINALIZER);
    if (volume.isBeingDeleted() && !needed) {
      store.update(volume.withMetadata(volume.metadata().minusFinalizer(FINALIZER)));
    } else if (volume.name().equals(SOURCE)) {
      wander(volume, store);
    } else if (volume.isUsableWhileCopied()) {
      copy(volume, store);
    }
  }

  private void wander(Volume source, ResourceStore store) throws StorageException {
    int chance = thousandths.getAsInt();
    boolean attached = source.status().state() == VolumeState.ATTACHED;
    if (attached && !calm && chance < 100) {
      store.updateStatus(
          source.withStatus(source.status().withState(VolumeState.DETACHED).withCurrentNodeID("")));
    } else if (!attached && chance < 400) {
      store.updateStatus(
          source.withStatus(
              source
                  .status()
                  .withState(VolumeState.ATTACHED)
                  .withCurrentNodeID("node-" + (1 + chance % 2))));
    }
  }

  private void copy(Volume copy, ResourceStore store) throws StorageException {
    CloneStatus status = copy.status().cloneStatus();
    Optional<Volume> source =
        store
            .get(Volume.KIND, SOURCE)
            .filter(v -> v.status().currentNodeID().equals(status.nodeID()))
            .filter(v -> v.status().state() == VolumeState.ATTACHED);
    if (source.isEmpty() || thousandths.getAsInt() > 300) {
      return;
    }
    BitSet regions = RegionCopyPlan.copied(status.copiedRegions());
    RegionCopyPlan plan = RegionCopyPlan.of(copy.contentProgress().orElseThrow());
    boolean whole = regions.cardinality() == plan.regions();
    regions.set(regions.nextClearBit(0));
    copied += whole ? 1 : 0;
    CloneStatus next =
        whole
            ? status
                .withState(CloneState.COMPLETED)
                .withCopySize(Quantity.ZERO)
                .withRegionSize(Quantity.ZERO)
                .withCopiedRegions("")
            : status.withCopiedRegions(RegionCopyPlan.text(regions));
    store.updateStatus(
        copy.withStatus(copy.status().withRobustness(Robustness.HEALTHY).withCloneStatus(next)));
  }

  /** Does a random action of a user. */
  void disturb(ResourceStore store) throws StorageException {
    int chance = thousandths.getAsInt();
    String copy = COPIES.get(chance % COPIES.size());
    switch (chance % 7) {
      case 0, 1 -> create(copy, copyOf(""), store);
      case 2 -> create(copy, copyOf("mine"), store);
      case 3 -> store.create(Snapshot.of("mine", SnapshotSpec.EMPTY.withVolume(SOURCE)));
      case 4 -> store.delete(Snapshot.KIND, "mine", "");
      case 5 -> store.delete(Volume.KIND, chance < 500 ? SOURCE : copy, "");
      default -> createSource(store);
    }
  }

  private static VolumeSpec copyOf(String snapshot) {
    return VolumeSpec.EMPTY
        .withSize(SIZE)
        .withCloneMode(CloneMode.FULL_COPY)
        .withCloneSource(Optional.of(new CloneSource(SOURCE, snapshot)));
  }

  /** Returns whether clones are complete or report why not, and no unneeded resource is kept. */
  boolean isSettled(ResourceStore store) throws StorageException {
    List<Volume> volumes = store.list(Volume.KIND, LabelSelector.ALL).items();
    List<Snapshot> snapshots = store.list(Snapshot.KIND, LabelSelector.ALL).items();
    boolean copiesDone =
        volumes.stream()
            .filter(Volume::awaitsContent)
            .allMatch(
                copy ->
                    copy.status().cloneStatus().state() == CloneState.FAILED
                        && !copy.status().cloneStatus().message().isEmpty());
    boolean nothingKept =
        volumes.stream().noneMatch(v -> v.metadata().hasFinalizer(CloneSource.NEEDED_FINALIZER))
            && snapshots.stream()
                .noneMatch(
                    s ->
                        s.metadata().hasFinalizer(CloneSource.NEEDED_FINALIZER)
                            || (s.metadata().labels().containsKey(CloneSnapshots.COPY_LABEL)
                                && volumes.stream().noneMatch(Volume::awaitsContent)));
    return copiesDone && nothingKept;
  }
}
