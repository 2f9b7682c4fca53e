package dev.holdfast.node.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.testkit.DefectiveReconciler;
import dev.holdfast.datapath.testkit.DefectiveReconciler.Defect;
import dev.holdfast.datapath.testkit.MisleadingContext;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.cluster.LeaseSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.store.ResourceStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes with clocks minutes apart, which die and are partitioned, and whose disks appear and
 * disappear. At the end each node's status must match its state, a disk keeps its identifier, and
 * only silent nodes are reported as silent.
 */
class NodeSimulationTest {
  private static final List<String> NODES = List.of("node-1", "node-2", "node-3");
  private static final String SILENT = "node-silent";

  /** Longest time between the last read of a lease and the report about it. */
  private static final Duration BETWEEN = Duration.ofSeconds(20);

  private static final Defect<Node> NONE = (sound, name, context) -> sound.reconcile(name, context);

  @TempDir private Path root;
  private final Map<String, Beats> beats = new HashMap<>();
  private final Map<String, String> identifiers = new HashMap<>();
  private final Set<String> told = new HashSet<>();
  private Path data = Path.of("");
  private Optional<Simulation> simulation = Optional.empty();

  /**
   * Renewals of a node's lease, by the correct time.
   *
   * @param renewTime time in the lease, by the node's clock
   * @param at when the lease got this time
   * @param silenceEnded last time at which the node had been silent for the duration of the lease
   */
  private record Beats(Optional<Instant> renewTime, Instant at, Instant silenceEnded) {
    Beats heard(Optional<Instant> renewed, Instant now) {
      boolean wasSilent = at.plus(NodeLiveness.WITHOUT_LEASE).isBefore(now);
      if (renewTime.equals(renewed)) {
        return wasSilent ? new Beats(renewTime, at, now) : this;
      }
      return new Beats(renewed, now, wasSilent ? now : silenceEnded);
    }
  }

  /** The heartbeat in the simulation's time. */
  private record Heart(NodeSettings settings) implements Reconciler<Node> {
    @Override
    public String name() {
      return "heart";
    }

    @Override
    public ResourceKind<Node> kind() {
      return Node.KIND;
    }

    @Override
    public Scope scope() {
      return Scope.NODE;
    }

    @Override
    public Result reconcile(String name, ReconcileContext context) throws StorageException {
      if (!name.equals(settings.name())) {
        return Result.DONE;
      }
      heartbeat(context).beat();
      return Result.after(NodeHeartbeat.period(NodeLiveness.WITHOUT_LEASE));
    }

    private NodeHeartbeat heartbeat(ReconcileContext context) throws StorageException {
      try {
        return new NodeHeartbeat(settings, context.store(), context.clock(), () -> {});
      } catch (IOException e) {
        throw StorageException.io("the identity of " + settings.name(), e);
      }
    }
  }

  private NodeSettings settings(String node) {
    return NodeSettings.of(node, data, "127.0.0.1", Map.of("nbd", 10809), 1, "0.1.0");
  }

  private Path disk(String node) {
    return data.resolve(node);
  }

  private Simulation build(long seed, Faults faults, Defect<Node> observer, Defect<Node> liveness)
      throws StorageException {
    Simulation.Builder builder = Simulation.builder(seed).faults(faults);
    for (String node : NODES) {
      builder.reconciler(
          node,
          () ->
              new DefectiveReconciler<>(
                  new NodeReconciler(settings(node), new InstalledPlugins()), observer));
      builder.reconciler(node, () -> new Heart(settings(node)));
      builder.reconciler(
          node, () -> new DefectiveReconciler<>(new NodeLivenessReconciler(), liveness));
    }
    builder.invariant("only the silent are silent", this::onlyTheSilentAreSilent);
    builder.invariant("identifiers stay", this::identifiersStay);
    Simulation built = builder.build();
    simulation = Optional.of(built);
    for (String node : NODES) {
      built.store().create(VolumeResources.node(node, disk(node)));
    }
    return built;
  }

  private void onlyTheSilentAreSilent(ResourceStore store) throws StorageException {
    Instant now = simulation.orElseThrow().clock().instant();
    for (String node : NODES) {
      Optional<Instant> renewed =
          store
              .get(Lease.KIND, NodeHeartbeat.leaseName(node))
              .map(Lease::spec)
              .flatMap(LeaseSpec::renewTime);
      Beats heard =
          beats
              .computeIfAbsent(node, n -> new Beats(renewed, now, Instant.MIN))
              .heard(renewed, now);
      beats.put(node, heard);
      boolean toldSilent =
          store
              .get(Node.KIND, node)
              .flatMap(n -> Condition.find(n.status().conditions(), NodeLiveness.READY))
              .filter(ready -> ready.status() == Condition.Status.UNKNOWN)
              .filter(ready -> told.add(node + ready))
              .isPresent();
      if (toldSilent) {
        assertThat(heard.silenceEnded()).as(node).isAfter(now.minus(BETWEEN));
      }
    }
  }

  private void identifiersStay(ResourceStore store) throws StorageException {
    for (String node : NODES) {
      store
          .get(Node.KIND, node)
          .map(n -> n.status().diskStatus().get("disk-1"))
          .ifPresent(
              disk -> {
                String first = identifiers.putIfAbsent(node, disk.diskUUID());
                assertThat(first).as(node).isIn(null, disk.diskUUID());
              });
    }
  }

  /** Unmounts a disk for a time, so that its mount point is empty. */
  private void unmountForAWhile() {
    Simulation now = simulation.orElseThrow();
    String node = NODES.get(now.random().nextInt(NODES.size()));
    Path away = data.resolve(node + ".away");
    if (identifiers.containsKey(node) && Files.exists(disk(node)) && !Files.exists(away)) {
      move(disk(node), away);
      makeDirectory(disk(node));
      now.after(Duration.ofMillis(now.random().nextInt(60_000)), s -> mount(node));
    }
  }

  private void mount(String node) {
    Path away = data.resolve(node + ".away");
    if (Files.exists(away)) {
      assertThat(disk(node)).as("a mount point").isEmptyDirectory();
      move(away, disk(node));
    }
  }

  private static void move(Path from, Path to) {
    try {
      Files.deleteIfExists(to);
      Files.move(from, to);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void makeDirectory(Path path) {
    try {
      Files.createDirectories(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void play(long seed, Faults faults, Defect<Node> observer, Defect<Node> liveness)
      throws Exception {
    data = Files.createTempDirectory(root, "data");
    beats.clear();
    told.clear();
    identifiers.clear();
    Simulation now = build(seed, faults, observer, liveness);
    for (int i = 0; i < 8; i++) {
      now.after(Duration.ofMillis(now.random().nextInt(180_000)), store -> unmountForAWhile());
    }
    now.run(Duration.ofMinutes(3));
    now.calm();
    NODES.forEach(this::mount);
    now.store().create(Node.of(SILENT, NodeSpec.EMPTY));
    now.runUntil("all told of as they are", Duration.ofMinutes(5), this::converged);
    for (String node : NODES) {
      assertThat(DiskIdentity.read(disk(node))).contains(identifiers.get(node));
    }
  }

  private boolean converged(ResourceStore store) throws StorageException {
    for (String node : NODES) {
      Node told = store.get(Node.KIND, node).orElseThrow();
      boolean ready =
          Condition.isTrue(told.status().conditions(), NodeLiveness.READY)
              && told.status().diskStatus().values().stream()
                  .allMatch(disk -> Condition.isTrue(disk.conditions(), DiskProbe.READY));
      if (!ready) {
        return false;
      }
    }
    return Condition.find(
            store.get(Node.KIND, SILENT).orElseThrow().status().conditions(), NodeLiveness.READY)
        .filter(ready -> ready.status() == Condition.Status.UNKNOWN)
        .isPresent();
  }

  @Test
  void statusOfEveryNodeMatchesItsState() throws Exception {
    Histories.play(60, seed -> play(seed, Faults.ALL, NONE, NONE));
  }

  @Test
  void nodeStaysAliveWhenClocksDiffer() throws Exception {
    Histories.play(30, seed -> play(seed, Faults.NONE, NONE, NONE));
  }

  @Test
  void believingAnotherNodesClockIsFound() throws Exception {
    Defect<Node> believing =
        (sound, name, context) -> {
          Optional<Lease> lease = context.get(Lease.KIND, NodeHeartbeat.leaseName(name));
          Instant limit = context.clock().instant().minus(NodeLiveness.WITHOUT_LEASE);
          Optional<Instant> renewed = lease.flatMap(l -> l.spec().renewTime());
          Optional<Node> node = context.get(Node.KIND, name);
          if (node.isPresent() && renewed.filter(limit::isAfter).isPresent()) {
            List<Condition> silent =
                Condition.with(
                    node.get().status().conditions(),
                    NodeLiveness.READY,
                    Condition.Status.UNKNOWN,
                    "NodeStatusUnknown",
                    "",
                    context.clock().instant());
            context
                .store()
                .updateStatus(node.get().withStatus(node.get().status().withConditions(silent)));
          }
          return sound.reconcile(name, context);
        };
    assertThat(Histories.firstFailure(30, seed -> play(seed, Faults.NONE, NONE, believing)))
        .hasMessageContaining("broken: only the silent are silent");
  }

  @Test
  void forgettingADisksIdentifierIsFound() throws Exception {
    Defect<Node> forgetting =
        (sound, name, context) ->
            sound.reconcile(
                name,
                new MisleadingContext<>(
                    context,
                    Node.KIND,
                    node ->
                        Files.exists(disk(name).resolve("longhorn-disk.cfg"))
                            ? node
                            : node.withStatus(node.status().withDiskStatus(Map.of()))));
    assertThat(Histories.firstFailure(30, seed -> play(seed, Faults.NONE, forgetting, NONE)))
        .hasMessageMatching("(?s).*(broken: identifiers stay|a mount point).*");
  }
}
