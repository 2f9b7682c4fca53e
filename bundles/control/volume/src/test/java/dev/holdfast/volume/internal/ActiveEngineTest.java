package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The engine that a volume's controller follows, by the name in the volume's status. */
class ActiveEngineTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final String ENDPOINT = "nbd://n1/v";

  private final Simulation simulation =
      Simulation.builder(1)
          .faults(Faults.NONE)
          .reconciler("n1", () -> new VolumeReconciler(new VolumePlanner(), volume -> List.of()))
          .build();
  private final ResourceStore store = simulation.store();

  @BeforeEach
  void addNodes() throws StorageException {
    for (String name : List.of("n1", "n2", "n3")) {
      store.create(Cluster.capable(Cluster.node(name, 1)));
    }
  }

  private List<Engine> engines() throws StorageException {
    return store.list(Engine.KIND, LabelSelector.ALL).items();
  }

  private Engine engine(String name) throws StorageException {
    return store.get(Engine.KIND, name).orElseThrow();
  }

  private static Optional<String> active(ResourceStore store) throws StorageException {
    return store
        .get(Volume.KIND, "v")
        .map(volume -> volume.status().activeEngine())
        .filter(name -> !name.isEmpty());
  }

  private void createEngine(String name) throws StorageException {
    EngineSpec spec = EngineSpec.EMPTY.withVolume("v").withDataEngine("sparse");
    store.create(
        Engine.of(name, spec)
            .withMetadata(ObjectMeta.named(name).withLabels(Map.of(Volume.LABEL, "v"))));
  }

  private void change(UnaryOperator<Volume> spec) throws StorageException {
    store.update(spec.apply(store.get(Volume.KIND, "v").orElseThrow()));
  }

  /** Creates the replicas, as their nodes do. */
  private void makeReplicas() throws StorageException {
    for (Replica replica : store.list(Replica.KIND, LabelSelector.ALL).items()) {
      InstanceState state =
          replica.spec().desireState() == DesireState.RUNNING
              ? InstanceState.RUNNING
              : InstanceState.STOPPED;
      store.updateStatus(
          replica.withStatus(replica.status().withProvisioned(true).withCurrentState(state)));
    }
  }

  /** Creates a volume whose active engine is the second of two, and waits for its replicas. */
  private void createWithTwoEngines() throws StorageException {
    createEngine("first");
    createEngine("second");
    Volume volume = store.create(Cluster.volume("v"));
    store.updateStatus(volume.withStatus(volume.status().withActiveEngine("second")));
    simulation.runUntil(
        "replicas", LIMIT, s -> s.list(Replica.KIND, LabelSelector.ALL).items().size() == 3);
    makeReplicas();
    simulation.runUntil(
        "detached",
        LIMIT,
        s -> s.get(Volume.KIND, "v").orElseThrow().status().state() == VolumeState.DETACHED);
  }

  @Test
  void newVolumeNamesTheEngineThatIsCreatedForIt() throws Exception {
    store.create(Cluster.volume("v"));
    simulation.runUntil("an engine", LIMIT, s -> active(s).isPresent());
    assertThat(engines()).extracting(Engine::name).containsExactly(active(store).orElseThrow());
  }

  @Test
  void storedVolumeWithoutTheFieldNamesTheEngineThatItHas() throws Exception {
    createEngine("stored-earlier");
    store.create(Cluster.volume("v"));
    simulation.runUntil("an engine", LIMIT, s -> active(s).isPresent());
    assertThat(active(store)).contains("stored-earlier");
    assertThat(engines()).hasSize(1);
  }

  @Test
  void onlyTheActiveOneOfTwoEnginesIsToldToOpenAndObserved() throws Exception {
    createWithTwoEngines();
    Engine untouched = engine("first");
    change(v -> v.withSpec(v.spec().withNodeID("n1")));
    simulation.runUntil(
        "replicas told to run",
        LIMIT,
        s ->
            s.list(Replica.KIND, LabelSelector.ALL).items().stream()
                .allMatch(r -> r.spec().desireState() == DesireState.RUNNING));
    makeReplicas();
    simulation.runUntil(
        "told to open",
        LIMIT,
        s ->
            s.get(Engine.KIND, "second").orElseThrow().spec().desireState() == DesireState.RUNNING);
    assertThat(engine("first")).isEqualTo(untouched);

    report("first", "nbd://n2/other");
    report("second", ENDPOINT);
    simulation.runUntil(
        "attached",
        LIMIT,
        s -> s.get(Volume.KIND, "v").orElseThrow().status().state() == VolumeState.ATTACHED);
    assertThat(store.get(Volume.KIND, "v").orElseThrow().status().endpoint()).isEqualTo(ENDPOINT);
    assertThat(active(store)).contains("second");
    assertThat(engine("first").spec()).isEqualTo(untouched.spec());
  }

  private void report(String name, String endpoint) throws StorageException {
    Engine engine = engine(name);
    Engine claimed =
        store.update(engine.withMetadata(engine.metadata().plusFinalizer(Engine.FINALIZER)));
    store.updateStatus(
        claimed.withStatus(
            claimed
                .status()
                .withCurrentState(InstanceState.RUNNING)
                .withNodeID("n1")
                .withEndpoint(endpoint)
                .withObservedGeneration(claimed.metadata().generation())));
  }

  /** Records whether a node has the inactive engine open. */
  private void setHeld(boolean held) throws StorageException {
    Engine inactive = engine("first");
    ObjectMeta metadata =
        held
            ? inactive.metadata().plusFinalizer(Engine.FINALIZER)
            : inactive.metadata().minusFinalizer(Engine.FINALIZER);
    store.update(inactive.withMetadata(metadata));
  }

  /** Releases the replicas, as their nodes do after the removal of the data. */
  private void releaseReplicas() throws StorageException {
    for (Replica replica : store.list(Replica.KIND, LabelSelector.ALL).items()) {
      store.update(replica.withMetadata(replica.metadata().minusFinalizer(Replica.FINALIZER)));
    }
  }

  @Test
  void deletedVolumeTakesItsInactiveEngineAlongFirst() throws Exception {
    createWithTwoEngines();
    setHeld(true);
    store.delete(Volume.KIND, "v", "");
    simulation.runUntil(
        "the inactive one is told to go", LIMIT, s -> engine("first").isBeingDeleted());
    simulation.run(Duration.ofMinutes(1));
    assertThat(store.get(Engine.KIND, "second")).isPresent();
    assertThat(store.list(Replica.KIND, LabelSelector.ALL).items()).hasSize(3);

    setHeld(false);
    simulation.runUntil(
        "the replicas are told to go",
        LIMIT,
        s ->
            s.list(Replica.KIND, LabelSelector.ALL).items().stream()
                .allMatch(Replica::isBeingDeleted));
    releaseReplicas();
    simulation.runUntil("gone", LIMIT, s -> s.get(Volume.KIND, "v").isEmpty());
    assertThat(engines()).isEmpty();
  }
}
