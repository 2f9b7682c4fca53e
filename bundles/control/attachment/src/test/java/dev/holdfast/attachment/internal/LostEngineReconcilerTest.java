package dev.holdfast.attachment.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.node.EngineDisks;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.share.FailedShareNode;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerSpec;
import dev.holdfast.share.ShareReasons;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An engine that must stop on a silent node, by its declared fencing. */
class LostEngineReconcilerTest {
  private static final String ENGINE = "v-e-0";
  private static final String KIND = "kept";

  private final Simulation simulation =
      Simulation.builder(1).reconciler("n2", LostEngineReconciler::new).build();
  private final ResourceStore store = simulation.store();

  private void node(String name, Condition.Status ready, Optional<String> fencing)
      throws StorageException {
    Node made = store.create(Node.of(name, NodeSpec.EMPTY));
    Map<String, EngineDisks> declared =
        fencing.isEmpty() ? Map.of() : Map.of(KIND, EngineDisks.DEFAULT.withFencing(fencing.get()));
    store.updateStatus(
        made.withStatus(
            NodeStatus.EMPTY
                .withEngines(List.of(KIND))
                .withEngineDisks(declared)
                .withConditions(
                    Condition.with(List.of(), "Ready", ready, "Test", "", Instant.EPOCH))));
  }

  /**
   * Returns the state after n1, the node of the engine, became silent while the engine must stop
   * there.
   */
  private InstanceState afterwards(Optional<String> lost, Optional<String> other)
      throws StorageException {
    node("n1", Condition.Status.UNKNOWN, lost);
    node("n2", Condition.Status.TRUE, other);
    return engineAfterwards();
  }

  private InstanceState engineAfterwards() throws StorageException {
    Engine engine =
        Case.engine(
            ENGINE,
            EngineSpec.EMPTY
                .withVolume("v")
                .withDataEngine(KIND)
                .withNodeID("n1")
                .withDesireState(DesireState.STOPPED));
    Engine made =
        store.create(engine.withMetadata(engine.metadata().plusFinalizer(Engine.FINALIZER)));
    store.updateStatus(
        made.withStatus(
            EngineStatus.EMPTY.withNodeID("n1").withCurrentState(InstanceState.RUNNING)));
    simulation.run(Duration.ofMinutes(1));
    return store.get(Engine.KIND, ENGINE).orElseThrow().status().currentState();
  }

  private List<String> events() throws StorageException {
    return store.list(Event.KIND, LabelSelector.ALL).items().stream()
        .map(event -> event.spec().reason() + ": " + event.spec().message())
        .toList();
  }

  @Test
  void engineThatItsReplicasFenceCountsAsStopped() throws Exception {
    assertThat(afterwards(Optional.empty(), Optional.of(EngineDisks.REPLICAS)))
        .isEqualTo(InstanceState.STOPPED);
    assertThat(events()).singleElement().asString().startsWith("NodeLost: node n1");
  }

  @Test
  void engineThatALockOfTheDiskFencesCountsAsStopped() throws Exception {
    assertThat(afterwards(Optional.of(EngineDisks.DISK_LOCK), Optional.of(EngineDisks.DISK_LOCK)))
        .isEqualTo(InstanceState.STOPPED);
  }

  @Test
  void engineStaysAwaitedWhereNodesDeclareDifferentFencing() throws Exception {
    assertThat(afterwards(Optional.of(EngineDisks.REPLICAS), Optional.of(EngineDisks.DISK_LOCK)))
        .isEqualTo(InstanceState.RUNNING);
    assertThat(events())
        .isNotEmpty()
        .allSatisfy(
            event ->
                assertThat(event)
                    .startsWith("FencingUnknown: node n1")
                    .contains("[DISK_LOCK, REPLICAS]", "engine " + KIND));
  }

  @Test
  void engineWithUnknownFencingStaysAwaited() throws Exception {
    assertThat(afterwards(Optional.of("MAGIC"), Optional.of("MAGIC")))
        .isEqualTo(InstanceState.RUNNING);
    assertThat(events()).isNotEmpty().allSatisfy(event -> assertThat(event).contains("MAGIC"));
  }

  private InstanceState afterShareWent(String to, String reason) throws StorageException {
    node("n1", Condition.Status.TRUE, Optional.empty());
    node("n2", Condition.Status.TRUE, Optional.empty());
    ShareManager share = store.create(ShareManager.of(ShareManagerSpec.EMPTY.withVolume("v")));
    store.updateStatus(
        share.withStatus(
            share
                .status()
                .withNodeID(to)
                .withFailedNodes(List.of(new FailedShareNode("n1", Optional.empty(), 1, reason)))));
    return engineAfterwards();
  }

  @Test
  void engineOfAShareThatLeftASilentNodeCountsAsStopped() throws Exception {
    assertThat(afterShareWent("n2", ShareReasons.NODE_SILENT)).isEqualTo(InstanceState.STOPPED);
  }

  @Test
  void engineStaysAwaitedWhileItsShareStaysOnASilentNode() throws Exception {
    assertThat(afterShareWent("n1", ShareReasons.NODE_SILENT)).isEqualTo(InstanceState.RUNNING);
  }

  @Test
  void engineStaysAwaitedOnANodeThatReportsAndFailedOtherwise() throws Exception {
    assertThat(afterShareWent("n2", ShareReasons.SERVER_DEAD)).isEqualTo(InstanceState.RUNNING);
  }
}
