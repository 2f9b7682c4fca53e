package dev.holdfast.clone.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.testkit.DefectiveReconciler;
import dev.holdfast.datapath.testkit.DefectiveReconciler.Defect;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.node.internal.NodeReconciler;
import dev.holdfast.node.internal.NodeSettings;
import dev.holdfast.node.internal.ReplicaContents;
import dev.holdfast.node.internal.ReplicaReconciler;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.CloneMethod;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.LinkState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Copies that share their source's blocks, while nodes die, the source's replicas fail, answers get
 * lost and clients delete resources. A copy that can be opened never has one replica that shares
 * and another that was created empty, and at the end every copy is complete.
 */
class LinkedCloneSimulationTest {
  private static final Defect<Volume> SOUND =
      (sound, name, context) -> sound.reconcile(name, context);
  private static final Defect<Replica> SOUND_REPLICAS =
      (sound, name, context) -> sound.reconcile(name, context);

  @TempDir private Path root;
  private final Map<String, Path> disks = new TreeMap<>();
  private Map<String, String> firstContents = LinkedCloneFake.disks();
  private final Map<String, CloneStatus> seen = new HashMap<>();
  private Optional<LinkedCloneWorld> world = Optional.empty();
  private Optional<Simulation> simulation = Optional.empty();
  private int linked;
  private int copied;
  private int undone;

  @BeforeEach
  void makeDisks() throws IOException {
    for (String node : LinkedCloneWorld.NODES) {
      Path disk = Files.createDirectories(root.resolve(node));
      Files.writeString(disk.resolve("longhorn-disk.cfg"), "{\"diskUUID\":\"" + node + "\"}");
      disks.put(node, disk);
    }
  }

  /** Returns the failure for a source that is not open now, or a layer that cannot be linked. */
  private Optional<StorageException> obstacle(SnapshotContent content) {
    return switch (simulation.orElseThrow().random().nextInt(8)) {
      case 0 -> Optional.of(new StorageException(ErrorCode.UNSUPPORTED, "told to refuse"));
      case 1, 2 -> Optional.of(new StorageException(ErrorCode.BUSY, "told to wait"));
      default -> Optional.empty();
    };
  }

  private static ReplicaContents contents() {
    ReplicaContents contents = new ReplicaContents();
    contents.addSource(new CloneContentSource());
    return contents;
  }

  private InstalledPlugins plugins() {
    InstalledPlugins plugins = new InstalledPlugins();
    plugins.addEngine(new LinkedCloneFake(firstContents, this::obstacle));
    return plugins;
  }

  private Simulation build(long seed, Defect<Volume> clones, Defect<Replica> replicas)
      throws StorageException {
    Simulation.Builder builder = Simulation.builder(seed);
    for (String node : LinkedCloneWorld.NODES) {
      NodeSettings settings = NodeSettings.of(node, root, "127.0.0.1", Map.of(), 1, "0.1.0");
      builder.reconciler(node, () -> new DefectiveReconciler<>(new CloneReconciler(), clones));
      builder.reconciler(
          node,
          () -> new DefectiveReconciler<>(new ReplicaReconciler(plugins(), contents()), replicas));
      builder.reconciler(node, () -> new NodeReconciler(settings, new InstalledPlugins()));
    }
    builder.invariant("one content", this::oneContent);
    builder.invariant("what is whole stays whole", this::wholeStaysWhole);
    return builder.build();
  }

  private static boolean canBeOpened(Volume copy) {
    return copy.status().state() != VolumeState.CREATING
        && !copy.isBeingDeleted()
        && (!copy.awaitsContent() || copy.isUsableWhileCopied());
  }

  private void oneContent(ResourceStore store) throws StorageException {
    for (Volume copy : store.list(Volume.KIND, LabelSelector.ALL).items()) {
      if (copy.spec().cloneSource().isPresent() && canBeOpened(copy)) {
        CloneStatus status = copy.status().cloneStatus();
        Set<String> contents = new TreeSet<>();
        for (Replica replica : LinkedCloneWorld.replicas(copy.name(), store)) {
          Optional.ofNullable(firstContents.get(replica.name()))
              .filter(content -> replica.status().provisioned())
              .ifPresent(contents::add);
        }
        boolean shares = status.method() == CloneMethod.LINK;
        assertThat(contents)
            .as(copy.name())
            .isSubsetOf(shares ? status.snapshotUID() : LinkedCloneFake.EMPTY);
      }
    }
  }

  private void wholeStaysWhole(ResourceStore store) throws StorageException {
    for (Volume copy : store.list(Volume.KIND, LabelSelector.ALL).items()) {
      CloneStatus now = copy.status().cloneStatus();
      CloneStatus before =
          Optional.ofNullable(seen.put(copy.metadata().uid(), now)).orElse(CloneStatus.EMPTY);
      world.ifPresent(w -> w.count(before, now));
      if (before.state() == CloneState.COMPLETED || before.regionSize().bytes() > 0) {
        assertThat(now.method()).isEqualTo(before.method());
      }
      if (before.state() == CloneState.COMPLETED) {
        assertThat(now.state()).isEqualTo(CloneState.COMPLETED);
      }
    }
  }

  private void play(long seed, Defect<Volume> clones, Defect<Replica> replicas)
      throws StorageException {
    seen.clear();
    world = Optional.empty();
    firstContents = LinkedCloneFake.disks();
    Simulation running = build(seed, clones, replicas);
    simulation = Optional.of(running);
    LinkedCloneWorld now = new LinkedCloneWorld(running.random(), disks);
    world = Optional.of(now);
    now.begin(running);
    for (int i = 0; i < 60; i++) {
      running.after(Duration.ofMillis(running.random().nextInt(120_000)), now::disturb);
    }
    running.run(Duration.ofMinutes(2));
    running.calm();
    now.calm();
    running.runUntil("whole", Duration.ofHours(1), now::isSettled);
    List<Integer> outcomes = now.outcomes();
    linked += outcomes.get(0);
    copied += outcomes.get(1);
    undone += outcomes.get(2);
  }

  @Test
  void cloneHasOneContentInAllHistories() throws Exception {
    Histories.play(20, seed -> play(seed, SOUND, SOUND_REPLICAS));
    assertThat(List.of(linked, copied, undone)).allMatch(count -> count > 5);
  }

  private void assertFound(Defect<Volume> clones, Defect<Replica> replicas) throws Exception {
    assertThat(Histories.firstFailure(50, seed -> play(seed, clones, replicas)))
        .hasMessageContaining("one content");
  }

  /**
   * A replica whose deletion was requested may still exist, and one that is being linked is not
   * reported yet.
   */
  @Test
  void copyingBeforeAllReplicasAreRemovedIsFound() throws Exception {
    assertFound(
        (sound, name, context) -> {
          Optional<Volume> copy =
              context
                  .store()
                  .get(Volume.KIND, name)
                  .filter(v -> v.status().cloneStatus().method() == CloneMethod.UNLINK);
          if (copy.isPresent()) {
            CloneStatus status =
                copy.get()
                    .status()
                    .cloneStatus()
                    .withMethod(CloneMethod.COPY)
                    .withCopySize(Quantity.parse("1Mi"))
                    .withRegionSize(Quantity.parse("1Mi"));
            context
                .store()
                .updateStatus(copy.get().withStatus(copy.get().status().withCloneStatus(status)));
          }
          return sound.reconcile(name, context);
        },
        SOUND_REPLICAS);
  }

  /** A user may delete one of the replicas, and its replacement would be empty. */
  @Test
  void reportingALinkedCloneAsCompleteTooEarlyIsFound() throws Exception {
    assertFound(
        (sound, name, context) -> {
          Optional<Volume> copy =
              context
                  .store()
                  .get(Volume.KIND, name)
                  .filter(v -> v.status().cloneStatus().method() == CloneMethod.LINK);
          boolean linked =
              copy.isPresent()
                  && LinkedCloneWorld.replicas(name, context.store()).stream()
                      .allMatch(r -> r.status().link().state() == LinkState.LINKED);
          if (linked) {
            CloneStatus whole = copy.get().status().cloneStatus().withState(CloneState.COMPLETED);
            context
                .store()
                .updateStatus(copy.get().withStatus(copy.get().status().withCloneStatus(whole)));
          }
          return sound.reconcile(name, context);
        },
        SOUND_REPLICAS);
  }

  /** Creates every replica empty, as nodes of releases without linked clones do. */
  private Result early(Reconciler<Replica> sound, String name, ReconcileContext context)
      throws StorageException {
    Optional<Replica> unmade =
        context
            .get(Replica.KIND, name)
            .filter(r -> r.spec().nodeID().equals("node-2") && context.nodeName().equals("node-2"))
            .filter(r -> !r.isBeingDeleted() && !r.status().provisioned());
    if (unmade.isEmpty()) {
      return sound.reconcile(name, context);
    }
    firstContents.putIfAbsent(name, LinkedCloneFake.EMPTY);
    Replica made = unmade.get();
    context.store().updateStatus(made.withStatus(made.status().withProvisioned(true)));
    return Result.DONE;
  }

  @Test
  void withNodesOfAnEarlierVersionItIsCopied() throws Exception {
    Histories.play(5, seed -> play(seed, SOUND, this::early));
    assertThat(linked).isZero();
    assertThat(copied).isGreaterThan(2);
  }
}
