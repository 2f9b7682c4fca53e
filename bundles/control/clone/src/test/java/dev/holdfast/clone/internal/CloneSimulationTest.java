package dev.holdfast.clone.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.datapath.RegionCopyPlan;
import dev.holdfast.datapath.testkit.DefectiveReconciler;
import dev.holdfast.datapath.testkit.DefectiveReconciler.Defect;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Copies that are made and deleted while clients delete their sources, nodes die and answers get
 * lost. The resources that a copy in use needs must stay, its content must never be lost, and at
 * the end no unneeded resource is kept.
 */
class CloneSimulationTest {
  private static final Defect<Volume> NONE =
      (sound, name, context) -> sound.reconcile(name, context);

  private CloneWorld world = new CloneWorld(() -> 0);
  private final Map<String, CloneStatus> seen = new HashMap<>();

  private Simulation build(long seed, Defect<Volume> defect) throws StorageException {
    Simulation.Builder builder = Simulation.builder(seed);
    for (String node : List.of("node-1", "node-2")) {
      builder.reconciler(node, () -> new DefectiveReconciler<>(new CloneReconciler(), defect));
    }
    builder.invariant("what is needed stays", this::whatIsNeededStays);
    builder.invariant("nothing is forgotten", this::nothingIsForgotten);
    return builder.build();
  }

  private void whatIsNeededStays(ResourceStore store) throws StorageException {
    for (Volume copy : store.list(Volume.KIND, LabelSelector.ALL).items()) {
      if (copy.isUsableWhileCopied()) {
        CloneSource source = copy.spec().cloneSource().orElseThrow();
        String snapshot = copy.status().cloneStatus().snapshot();
        assertThat(store.get(Volume.KIND, source.volume())).as("source").isPresent();
        assertThat(store.get(Snapshot.KIND, snapshot)).as("snapshot").isPresent();
        assertThat(world.taken(store.get(Snapshot.KIND, snapshot).get())).isTrue();
      }
    }
  }

  private void nothingIsForgotten(ResourceStore store) throws StorageException {
    for (Volume copy : store.list(Volume.KIND, LabelSelector.ALL).items()) {
      CloneStatus now = copy.status().cloneStatus();
      CloneStatus before = seen.put(copy.metadata().uid(), now);
      boolean wasUsable = before != null && before.regionSize().bytes() > 0;
      if (wasUsable && now.state() != CloneState.COMPLETED) {
        assertThat(copy.isUsableWhileCopied()).as("still usable").isTrue();
        assertThat(now.snapshot()).isEqualTo(before.snapshot());
        assertThat(now.regionSize()).isEqualTo(before.regionSize());
        assertThat(now.copySize()).isEqualTo(before.copySize());
        BitSet lost = RegionCopyPlan.copied(before.copiedRegions());
        lost.andNot(RegionCopyPlan.copied(now.copiedRegions()));
        assertThat(lost.isEmpty()).as("nothing lost").isTrue();
      }
      if (before != null && before.state() == CloneState.COMPLETED) {
        assertThat(now.state()).isEqualTo(CloneState.COMPLETED);
      }
    }
  }

  private void play(long seed, Defect<Volume> defect) throws StorageException {
    seen.clear();
    Simulation running = build(seed, defect);
    world = new CloneWorld(() -> running.random().nextInt(1000));
    world.begin(running);
    for (int i = 0; i < 60; i++) {
      Duration delay = Duration.ofMillis(running.random().nextInt(300_000));
      running.after(delay, world::disturb);
    }
    running.run(Duration.ofMinutes(5));
    running.calm();
    world.calm();
    running.runUntil("as asked for", Duration.ofHours(1), world::isSettled);
  }

  @Test
  void onlyResourcesThatACloneInUseNeedsAreKept() throws Exception {
    Histories.play(100, seed -> play(seed, NONE));
    assertThat(world.copied()).isPositive();
  }

  private void assertFound(String message, Defect<Volume> defect) throws Exception {
    assertThat(Histories.firstFailure(50, seed -> play(seed, defect)))
        .hasMessageContaining(message);
  }

  /** The cache may be older than the time at which the copy could be used. */
  @Test
  void releaseByTheCacheIsFound() throws Exception {
    assertFound(
        "what is needed stays",
        (sound, name, context) -> {
          boolean needs =
              context.get(Volume.KIND, name).filter(Volume::isUsableWhileCopied).isPresent();
          for (Snapshot snapshot : context.list(Snapshot.KIND, LabelSelector.ALL)) {
            if (!needs && CloneSourceFinalizer.names(snapshot).contains(name)) {
              context
                  .store()
                  .update(
                      snapshot.withMetadata(
                          snapshot.metadata().minusFinalizer(CloneSource.NEEDED_FINALIZER)));
            }
          }
          return sound.reconcile(name, context);
        });
  }

  @Test
  void givingAnAttemptUpThatIsInUseIsFound() throws Exception {
    assertFound(
        "nothing is forgotten",
        (sound, name, context) -> {
          Optional<Volume> copy = context.store().get(Volume.KIND, name);
          if (copy.filter(Volume::isUsableWhileCopied).isPresent() && isSourceLeaving(context)) {
            write(copy.get(), CloneStatus.EMPTY.withState(CloneState.FAILED), context);
          }
          return sound.reconcile(name, context);
        });
  }

  private static boolean isSourceLeaving(ReconcileContext context) throws StorageException {
    return context.get(Volume.KIND, CloneWorld.SOURCE).filter(v -> !v.isBeingDeleted()).isEmpty();
  }

  private static void write(Volume copy, CloneStatus status, ReconcileContext context)
      throws StorageException {
    context.store().updateStatus(copy.withStatus(copy.status().withCloneStatus(status)));
  }

  /** Resources that are kept only once the copy may be used may be gone by then. */
  @Test
  void lettingACopyBeUsedBeforeItsSourceIsKeptIsFound() throws Exception {
    assertFound(
        "what is needed stays",
        (sound, name, context) -> {
          Optional<Volume> copy =
              context
                  .store()
                  .get(Volume.KIND, name)
                  .filter(v -> v.status().cloneStatus().state() == CloneState.INITIATED);
          Optional<Snapshot> ready =
              copy.map(v -> v.status().cloneStatus().snapshot())
                  .flatMap(snapshot -> context.get(Snapshot.KIND, snapshot))
                  .filter(snapshot -> snapshot.status().readyToUse());
          if (ready.isPresent() && !copy.get().isUsableWhileCopied()) {
            Quantity size = ready.get().status().restoreSize();
            CloneStatus usable = copy.get().status().cloneStatus().withCopySize(size);
            write(copy.get(), usable.withRegionSize(RegionCopyPlan.regionSizeFor(size)), context);
          }
          return sound.reconcile(name, context);
        });
  }
}
