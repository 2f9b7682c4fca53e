package dev.holdfast.node.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.testkit.DefectiveReconciler;
import dev.holdfast.datapath.testkit.DefectiveReconciler.Defect;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.datapath.testkit.MisleadingContext;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Replicas that are created and deleted, and lose their data and their disks, on nodes that die and
 * engines that fail. A replica with data is never replaced by an empty one, and none is deleted or
 * lost without a request.
 */
class ReplicaSimulationTest {
  private static final List<String> NODES = List.of("node-1", "node-2");
  private static final String IDENTITY = "longhorn-disk.cfg";
  private static final double ENGINE_FAILS = 0.05;
  private static final Defect<Replica> NONE =
      (sound, name, context) -> sound.reconcile(name, context);

  @TempDir private Path root;
  private final Map<String, Path> disks = new TreeMap<>();
  private FakeEngine.Disks data = new FakeEngine.Disks();
  private final Set<String> provisioned = new HashSet<>();
  private final List<String> wrongs = new ArrayList<>();
  private boolean engineFails;
  private Optional<Simulation> simulation = Optional.empty();

  @BeforeEach
  void makeDisks() throws IOException {
    for (String node : NODES) {
      Path disk = Files.createDirectories(root.resolve(node));
      Files.writeString(disk.resolve(IDENTITY), "{\"diskUUID\":\"" + node + "-disk\"}");
      disks.put(node, disk);
    }
  }

  private Simulation running() {
    return simulation.orElseThrow();
  }

  /** Returns the plugins of one process of a node. The disks of its engine outlive the process. */
  private InstalledPlugins plugins(String node) {
    InstalledPlugins plugins = new InstalledPlugins();
    plugins.addEngine(
        new ObservedEngine(
            new FakeEngine("fake", data),
            () -> engineFails && running().random().nextDouble() < ENGINE_FAILS,
            replica -> making(node, replica),
            replica -> deleting(node, replica)));
    return plugins;
  }

  private Optional<Replica> really(ReplicaLocation replica) {
    try {
      return running().store().get(Replica.KIND, replica.replica());
    } catch (StorageException e) {
      throw new AssertionError(e);
    }
  }

  private void making(String node, ReplicaLocation replica) {
    if (really(replica).filter(r -> provisioned.contains(r.metadata().uid())).isPresent()) {
      wrongs.add(replica.replica() + " was there once and is made again");
    }
    if (!replica.nodeId().equals(node)) {
      wrongs.add(node + " makes " + replica);
    }
  }

  private void deleting(String node, ReplicaLocation replica) {
    boolean wanted = really(replica).filter(r -> !r.isBeingDeleted()).isPresent();
    if (wanted || !replica.nodeId().equals(node)) {
      wrongs.add(node + " deletes " + replica + " without a request");
    }
  }

  private Simulation build(long seed, Defect<Replica> defect) throws StorageException {
    Simulation.Builder builder = Simulation.builder(seed);
    for (String node : NODES) {
      builder.reconciler(node, () -> reconciler(node, defect));
      builder.reconciler(node, () -> new NodeReconciler(settings(node), new InstalledPlugins()));
    }
    builder.invariant("nothing wrong is done", store -> assertThat(wrongs).isEmpty());
    builder.invariant("data means kept", this::dataMeansKept);
    Simulation built = builder.build();
    simulation = Optional.of(built);
    for (String node : NODES) {
      built.store().create(VolumeResources.node(node, disks.get(node)));
    }
    return built;
  }

  private Reconciler<Replica> reconciler(String node, Defect<Replica> defect) {
    return new DefectiveReconciler<>(
        new ReplicaReconciler(plugins(node), new ReplicaContents()), defect);
  }

  private NodeSettings settings(String node) {
    return NodeSettings.of(node, root, "127.0.0.1", Map.of(), 1, "0.1.0");
  }

  /** Checks that replicas with data are kept. Also records which replicas existed. */
  private void dataMeansKept(ResourceStore store) throws StorageException {
    Set<String> kept = new HashSet<>();
    for (Replica replica : store.list(Replica.KIND, LabelSelector.ALL).items()) {
      if (replica.status().provisioned()) {
        provisioned.add(replica.metadata().uid());
      }
      if (replica.metadata().hasFinalizer(ReplicaReconciler.FINALIZER)) {
        kept.add(replica.name());
      }
    }
    for (String present : data.replicas()) {
      if (!onGivenUpDisk(store, present)) {
        assertThat(kept).contains(present);
      }
    }
  }

  private static boolean onGivenUpDisk(ResourceStore store, String replica)
      throws StorageException {
    return store
        .get(Node.KIND, nodeOf(replica))
        .filter(n -> n.spec().disks().isEmpty())
        .isPresent();
  }

  private static String replica(int number) {
    return "vol-r-0000000" + number;
  }

  private static String nodeOf(String replica) {
    return NODES.get(replica.charAt(replica.length() - 1) % NODES.size());
  }

  private void disturb(ResourceStore store) throws StorageException {
    Simulation now = running();
    String name = replica(now.random().nextInt(6));
    String node = nodeOf(name);
    switch (now.random().nextInt(6)) {
      case 0, 1, 2 -> store.create(VolumeResources.replica(name, node, disks.get(node)));
      case 3 -> store.delete(Replica.KIND, name, "");
      case 4 -> data.lose(name);
      default -> {
        unmount(node);
        now.after(Duration.ofMillis(now.random().nextInt(30_000)), s -> mount(node));
      }
    }
  }

  private void unmount(String node) {
    move(disks.get(node).resolve(IDENTITY), root.resolve(node + ".away"));
  }

  private void mount(String node) {
    move(root.resolve(node + ".away"), disks.get(node).resolve(IDENTITY));
  }

  private static void move(Path from, Path to) {
    try {
      if (Files.exists(from)) {
        Files.move(from, to);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void play(long seed, Defect<Replica> defect) throws StorageException {
    data = new FakeEngine.Disks();
    provisioned.clear();
    wrongs.clear();
    NODES.forEach(this::mount);
    engineFails = true;
    Simulation now = build(seed, defect);
    now.runUntil("disks registered", Duration.ofMinutes(5), ReplicaSimulationTest::registered);
    for (int i = 0; i < 40; i++) {
      now.after(Duration.ofMillis(now.random().nextInt(120_000)), this::disturb);
    }
    now.run(Duration.ofMinutes(2));
    now.calm();
    engineFails = false;
    NODES.forEach(this::mount);
    settle(now);
  }

  private static boolean registered(ResourceStore store) throws StorageException {
    for (String node : NODES) {
      if (store.get(Node.KIND, node).orElseThrow().status().diskStatus().isEmpty()) {
        return false;
      }
    }
    return true;
  }

  private void settle(Simulation now) throws StorageException {
    now.runUntil("told of as they are", Duration.ofMinutes(5), this::truthful);
    ResourceStore store = now.store();
    Node given = store.get(Node.KIND, "node-2").orElseThrow();
    unmount("node-2");
    store.update(given.withSpec(NodeSpec.EMPTY));
    for (Replica replica : store.list(Replica.KIND, LabelSelector.ALL).items()) {
      store.delete(Replica.KIND, replica.name(), "");
    }
    now.runUntil(
        "gone",
        Duration.ofMinutes(5),
        s -> s.list(Replica.KIND, LabelSelector.ALL).items().isEmpty());
    assertThat(data.replicas()).allMatch(name -> nodeOf(name).equals("node-2"));
  }

  /**
   * Returns whether present replicas are ready, lost ones are reported, and none is being deleted.
   */
  private boolean truthful(ResourceStore store) throws StorageException {
    for (Replica replica : store.list(Replica.KIND, LabelSelector.ALL).items()) {
      boolean present = data.replicas().contains(replica.name());
      Condition ready =
          Condition.find(replica.status().conditions(), ReplicaStatuses.READY)
              .orElse(new Condition("", Condition.Status.UNKNOWN, "", "", now()));
      boolean told =
          present
              ? replica.status().provisioned() && ready.status() == Condition.Status.TRUE
              : ready.reason().equals(Replica.DATA_MISSING_REASON);
      if (replica.isBeingDeleted() || !told) {
        return false;
      }
    }
    return true;
  }

  private Instant now() {
    return running().clock().instant();
  }

  @Test
  void dataIsCreatedOnceAndDeletedOnlyOnRequest() throws Exception {
    Histories.play(100, seed -> play(seed, NONE));
  }

  private void assertFound(String message, Defect<Replica> defect) throws Exception {
    assertThat(Histories.firstFailure(30, seed -> play(seed, defect)))
        .hasMessageContaining(message);
  }

  @Test
  void forgottenProvisioningIsFound() throws Exception {
    assertFound(
        "is made again",
        (sound, name, context) ->
            sound.reconcile(
                name,
                new MisleadingContext<>(
                    context,
                    Replica.KIND,
                    replica ->
                        replica.withStatus(
                            replica.status().withProvisioned(false).withConditions(List.of())))));
  }

  @Test
  void earlyRemovalOfTheFinalizerIsFound() throws Exception {
    assertFound(
        "data means kept",
        (sound, name, context) -> {
          Optional<Replica> replica = context.get(Replica.KIND, name);
          if (replica.filter(Replica::isBeingDeleted).isPresent()) {
            context
                .store()
                .update(
                    replica
                        .get()
                        .withMetadata(
                            replica.get().metadata().minusFinalizer(ReplicaReconciler.FINALIZER)));
          }
          return sound.reconcile(name, context);
        });
  }

  @Test
  void makingDataBeforeTheFinalizerIsFound() throws Exception {
    assertFound(
        "data means kept",
        (sound, name, context) ->
            sound.reconcile(
                name,
                new MisleadingContext<>(
                    context,
                    Replica.KIND,
                    replica ->
                        replica.isBeingDeleted()
                            ? replica
                            : replica.withMetadata(
                                replica.metadata().plusFinalizer(ReplicaReconciler.FINALIZER)))));
  }
}
