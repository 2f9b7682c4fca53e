package dev.holdfast.datapath.internal;

import static dev.holdfast.datapath.testkit.VolumeResources.ENGINE;
import static dev.holdfast.datapath.testkit.VolumeResources.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.testkit.DefectiveReconciler;
import dev.holdfast.datapath.testkit.DefectiveReconciler.Defect;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.datapath.testkit.FakePortal;
import dev.holdfast.datapath.testkit.MisleadingContext;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/**
 * A volume that moves between nodes while nodes die, are partitioned and lose replies: it is never
 * open twice, and never reported as closed while it is open.
 */
class EngineSimulationTest {
  private static final List<String> NODES = List.of("node-1", "node-2", "node-3");

  private final FakeEngine.Disks disks = new FakeEngine.Disks();
  private final Map<String, Life> lives = new HashMap<>();
  private Optional<Simulation> simulation = Optional.empty();

  /** Open volumes of a node's process; forgotten when its next life begins. */
  private final class Life {
    private final FakeEngine engine = new FakeEngine("fake", disks);
    private final FakePortal portal = new FakePortal();
    private final String node;
    private Clock clock = Clock.systemUTC();

    Life(String node) {
      this.node = node;
    }

    /** The store and the clock of a simulated node are known when its first step runs. */
    Reconciler<Engine> begin() {
      lives.put(node, this);
      InstalledPlugins plugins = new InstalledPlugins();
      plugins.addEngine(engine);
      LocalAttachedVolumes volumes =
          new LocalAttachedVolumes(
              plugins, later(), VolumeActivity.notKept(), () -> clock.instant(), node);
      volumes.addPortal(portal);
      return new DefectiveReconciler<>(
          new EngineReconciler(volumes, plugins, new OpenQueue(volumes, plugins)),
          (reconciler, name, context) -> {
            clock = context.clock();
            volumes.addStore(context.store());
            return reconciler.reconcile(name, context);
          });
    }

    /** Paths run in virtual time, and only during this life. */
    private Executor later() {
      return task -> {
        Simulation running = simulation.orElseThrow();
        Duration delay = Duration.ofMillis(running.random().nextInt(3000));
        running.after(
            delay,
            store -> {
              if (lives.get(node) == this) {
                task.run();
              }
            });
      };
    }
  }

  private Set<String> openOn() {
    Set<String> nodes = new TreeSet<>();
    lives.forEach(
        (node, life) -> {
          if (life.engine.openVolumes().contains(VOLUME)) {
            nodes.add(node);
          }
        });
    return nodes;
  }

  private Simulation build(long seed, Defect<Engine> defect) throws StorageException {
    Simulation.Builder builder = Simulation.builder(seed);
    for (String node : NODES) {
      builder.reconciler(node, () -> new DefectiveReconciler<>(new Life(node).begin(), defect));
    }
    builder.invariant("one opener", store -> assertThat(openOn()).hasSizeLessThan(2));
    builder.invariant("stopped means closed", this::stoppedMeansClosed);
    builder.invariant("open means kept", this::openMeansKept);
    Simulation built = builder.build();
    simulation = Optional.of(built);
    Replica replica = VolumeResources.replica("vol-r-00000001", "node-1", Path.of("/disk"));
    built.store().create(replica.withStatus(replica.status().withProvisioned(true)));
    built.store().create(VolumeResources.engine("", DesireState.STOPPED));
    return built;
  }

  private void stoppedMeansClosed(ResourceStore store) throws StorageException {
    store
        .get(Engine.KIND, ENGINE)
        .filter(engine -> engine.status().currentState() == InstanceState.STOPPED)
        .ifPresent(engine -> assertThat(openOn()).isEmpty());
  }

  private void openMeansKept(ResourceStore store) throws StorageException {
    if (!openOn().isEmpty()) {
      Optional<Engine> engine = store.get(Engine.KIND, ENGINE);
      assertThat(engine).isPresent();
      assertThat(engine.get().metadata().finalizers()).contains(EngineStep.FINALIZER);
      assertThat(openOn()).containsExactly(engine.get().status().nodeID());
    }
  }

  /** Stops the engine, starts it on some node, or sends it there while another has it open. */
  private static void wander(Simulation simulation, ResourceStore store) throws StorageException {
    Engine engine = store.get(Engine.KIND, ENGINE).orElseThrow();
    boolean hasty = simulation.random().nextInt(4) == 0;
    if (closed(engine) || hasty) {
      run(store, engine, NODES.get(simulation.random().nextInt(NODES.size())));
    } else if (engine.spec().desireState() == DesireState.RUNNING) {
      store.update(engine.withSpec(engine.spec().withDesireState(DesireState.STOPPED)));
    }
  }

  private static void run(ResourceStore store, Engine engine, String node) throws StorageException {
    store.update(
        engine.withSpec(engine.spec().withNodeID(node).withDesireState(DesireState.RUNNING)));
  }

  private static boolean closed(Engine engine) {
    return engine.spec().nodeID().isEmpty()
        || (engine.status().currentState() == InstanceState.STOPPED
            && engine.status().observedGeneration() == engine.metadata().generation());
  }

  private void play(long seed, Defect<Engine> defect) throws StorageException {
    lives.clear();
    Simulation running = build(seed, defect);
    for (int i = 0; i < 40; i++) {
      Duration delay = Duration.ofMillis(running.random().nextInt(180_000));
      running.after(delay, store -> wander(running, store));
    }
    for (int i = 0; i < 5; i++) {
      Duration delay = Duration.ofMillis(running.random().nextInt(180_000));
      running.after(delay, store -> disturb());
    }
    running.run(Duration.ofMinutes(3));
    running.calm();
    settle(running);
  }

  /** Fails one engine, if one is open. */
  private void disturb() {
    lives.values().forEach(life -> life.engine.volume(VOLUME).ifPresent(v -> v.fail(ErrorCode.IO)));
  }

  private void settle(Simulation running) throws StorageException {
    ResourceStore store = running.store();
    Engine engine = store.get(Engine.KIND, ENGINE).orElseThrow();
    if (engine.spec().desireState() == DesireState.RUNNING) {
      store.update(engine.withSpec(engine.spec().withDesireState(DesireState.STOPPED)));
    }
    running.runUntil(
        "closed",
        Duration.ofMinutes(5),
        s -> closed(s.get(Engine.KIND, ENGINE).orElseThrow()) && openOn().isEmpty());
    run(store, store.get(Engine.KIND, ENGINE).orElseThrow(), "node-2");
    running.runUntil("serving", Duration.ofMinutes(5), s -> serving(s, "node-2"));
    store.delete(Engine.KIND, ENGINE, "");
    running.runUntil(
        "gone",
        Duration.ofMinutes(5),
        s -> s.get(Engine.KIND, ENGINE).isEmpty() && openOn().isEmpty());
  }

  private boolean serving(ResourceStore store, String node) throws StorageException {
    Engine engine = store.get(Engine.KIND, ENGINE).orElseThrow();
    return engine.status().currentState() == InstanceState.RUNNING
        && engine.status().nodeID().equals(node)
        && !engine.status().endpoint().isEmpty()
        && openOn().equals(Set.of(node))
        && lives.get(node).portal.exports().contains(VOLUME);
  }

  @Test
  void aVolumeIsNeverOpenTwiceAndEndsWhereItIsWanted() throws Exception {
    Histories.play(
        200, seed -> play(seed, (sound, name, context) -> sound.reconcile(name, context)));
  }

  private void assertFound(String invariant, Defect<Engine> defect) throws Exception {
    assertThat(Histories.firstFailure(30, seed -> play(seed, defect)))
        .hasMessageContaining("broken: " + invariant);
  }

  @Test
  void notAwaitingTheOtherNodeIsFound() throws Exception {
    assertFound(
        "open means kept",
        (sound, name, context) ->
            sound.reconcile(
                name,
                new MisleadingContext<>(
                    context,
                    Engine.KIND,
                    engine ->
                        engine.spec().nodeID().equals(context.nodeName())
                                && !engine.status().nodeID().equals(context.nodeName())
                            ? engine.withStatus(engine.status().withNodeID(""))
                            : engine)));
  }

  @Test
  void earlyReportOfStoppedIsFound() throws Exception {
    assertFound(
        "stopped means closed",
        (sound, name, context) -> {
          Optional<Engine> engine = context.get(Engine.KIND, name);
          if (engine
              .filter(e -> e.status().nodeID().equals(context.nodeName()))
              .filter(e -> e.spec().desireState() == DesireState.STOPPED)
              .filter(e -> e.status().currentState() != InstanceState.STOPPED)
              .isPresent()) {
            context
                .store()
                .updateStatus(
                    engine
                        .get()
                        .withStatus(engine.get().status().withCurrentState(InstanceState.STOPPED)));
          }
          return sound.reconcile(name, context);
        });
  }

  @Test
  void openingWithoutTheFinalizerIsFound() throws Exception {
    assertFound(
        "open means kept",
        (sound, name, context) ->
            sound.reconcile(
                name,
                new MisleadingContext<>(
                    context,
                    Engine.KIND,
                    engine ->
                        engine.withMetadata(
                            engine.metadata().plusFinalizer(EngineStep.FINALIZER)))));
  }
}
