package dev.holdfast.datapath.internal;

import static dev.holdfast.datapath.testkit.VolumeResources.ENGINE;
import static dev.holdfast.datapath.testkit.VolumeResources.NODE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.RebuildState;
import dev.holdfast.resource.volume.RebuildStatus;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.SalvageRequest;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands of an engine's spec about its replicas, with real threads. */
class ReplicaCommandsTest {
  private static final String FIRST = "vol-r-00000001";
  private static final String SECOND = "vol-r-00000002";

  @TempDir private Path disk;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final FakeEngine.Disks disks = new FakeEngine.Disks();
  private RebuildingEngine engine = new RebuildingEngine(new FakeEngine("fake", disks), false);
  private RunningNode node;

  @BeforeEach
  void serve() throws Exception {
    node = new RunningNode(store, disk);
    node.plugins.addEngine(engine);
  }

  private void run() throws Exception {
    store.create(VolumeResources.replica(FIRST, NODE, disk));
    store.create(VolumeResources.engine(NODE, DesireState.RUNNING));
    until(e -> e.status().currentState() == InstanceState.RUNNING);
    store.create(VolumeResources.replica(SECOND, NODE, disk));
    Awaiting.until(store, Replica.KIND, SECOND, r -> r.status().provisioned());
  }

  @AfterEach
  void stop() {
    node.close();
    store.close();
  }

  private Engine until(Predicate<Engine> wanted) throws Exception {
    return Awaiting.until(store, Engine.KIND, ENGINE, wanted);
  }

  private RebuildStatus untilRebuild(Predicate<RebuildStatus> wanted) throws Exception {
    return until(
            e ->
                e.status().rebuildStatus().containsKey(SECOND)
                    && wanted.test(e.status().rebuildStatus().get(SECOND)))
        .status()
        .rebuildStatus()
        .get(SECOND);
  }

  private void change(UnaryOperator<EngineSpec> change) throws StorageException {
    while (true) {
      Engine present = store.get(Engine.KIND, ENGINE).orElseThrow();
      try {
        store.update(present.withSpec(change.apply(present.spec())));
        return;
      } catch (StorageException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
      }
    }
  }

  private void order(long attempt) throws StorageException {
    change(spec -> spec.withRebuildReplica(SECOND).withRebuildAttempt(attempt));
  }

  private RebuildingEngine.FakeRebuild rebuild(int index) throws Exception {
    untilRebuild(s -> s.state() == RebuildState.IN_PROGRESS);
    assertThat(engine.rebuilds()).hasSize(index + 1);
    return engine.rebuilds().get(index);
  }

  @Test
  void aReplicaIsRebuiltAndItsProgressIsReported() throws Exception {
    run();
    order(1);
    RebuildStatus begun = untilRebuild(s -> s.state() == RebuildState.IN_PROGRESS);
    assertThat(begun.progress()).isEqualTo(25);
    assertThat(begun.attempt()).isEqualTo(1);
    assertThat(begun.copied()).isEqualTo(new Quantity(1024));
    assertThat(begun.total()).isEqualTo(new Quantity(4096));
    until(e -> e.status().replicaModeMap().get(SECOND) == ReplicaMode.WO);
    rebuild(0).finish();
    assertThat(untilRebuild(s -> s.state() == RebuildState.COMPLETE).progress()).isEqualTo(100);
    until(e -> e.status().replicaModeMap().get(SECOND) == ReplicaMode.RW);
    change(spec -> spec.withRebuildReplica(""));
    until(e -> e.status().rebuildStatus().isEmpty());
  }

  @Test
  void failureIsReportedAndTheNextAttemptStartsAgain() throws Exception {
    run();
    order(1);
    rebuild(0).fail(ErrorCode.NO_SPACE);
    assertThat(untilRebuild(s -> s.state() == RebuildState.ERROR).error())
        .isEqualTo("told to fail");
    order(2);
    assertThat(rebuild(1).replica()).isEqualTo(SECOND);
  }

  @Test
  void aRebuildThatEndsWithoutACurrentReplicaHasFailed() throws Exception {
    run();
    order(1);
    rebuild(0).pretend();
    assertThat(untilRebuild(s -> s.state() == RebuildState.ERROR).error()).contains("not current");
  }

  @Test
  void itsSpeedMayChangeWhileItRuns() throws Exception {
    run();
    change(spec -> spec.withRebuildBytesPerSecond(new Quantity(1000)));
    order(1);
    RebuildingEngine.FakeRebuild running = rebuild(0);
    assertThat(running.options()).isEqualTo(new RebuildOptions(1000));
    change(spec -> spec.withRebuildBytesPerSecond(new Quantity(2000)));
    assertThat(running.awaitChange()).isEqualTo(new RebuildOptions(2000));
    assertThat(engine.rebuilds()).hasSize(1);
  }

  @Test
  void anOrderThatIsTakenBackIsBrokenOff() throws Exception {
    run();
    order(1);
    RebuildingEngine.FakeRebuild running = rebuild(0);
    change(spec -> spec.withRebuildReplica(""));
    until(e -> e.status().rebuildStatus().isEmpty());
    running.awaitCancellation();
  }

  @Test
  void rebuildSurvivesTheReplacementOfTheEngine() throws Exception {
    run();
    order(1);
    RebuildingEngine.FakeRebuild running = rebuild(0);
    node.plugins.removeEngine(engine);
    running.awaitCancellation();
    engine = new RebuildingEngine(new FakeEngine("fake", disks), false);
    node.plugins.addEngine(engine);
    assertThat(engine.awaitRebuild().replica()).isEqualTo(SECOND);
    until(
        e ->
            e.status().membership().generation() == 2
                && e.status().replicaModeMap().get(SECOND) == ReplicaMode.WO);
    RebuildStatus again = untilRebuild(s -> s.state() != RebuildState.COMPLETE);
    assertThat(again.state()).isEqualTo(RebuildState.IN_PROGRESS);
    assertThat(again.attempt()).isEqualTo(1);
  }

  @Test
  void aReplicaIsTakenOutOfTheVolume() throws Exception {
    run();
    order(1);
    rebuild(0).finish();
    until(e -> e.status().replicaModeMap().get(SECOND) == ReplicaMode.RW);
    change(spec -> spec.withRebuildReplica("").withRemovedReplicas(List.of(FIRST)));
    until(e -> e.status().replicaModeMap().get(FIRST) == ReplicaMode.ERR);
  }

  @Test
  void aSalvageIsCarriedOutOnceAndBeforeAnythingIsServed() throws Exception {
    store.create(VolumeResources.replica(FIRST, NODE, disk));
    Engine made = VolumeResources.engine(NODE, DesireState.RUNNING);
    store.create(
        made.withSpec(
            made.spec()
                .withSalvage(new SalvageRequest("s1", List.of(FIRST)))
                .withFlushedOnly(true)));
    Engine running = until(e -> e.status().currentState() == InstanceState.RUNNING);
    assertThat(running.status().salvaged()).isEqualTo("s1");
    assertThat(engine.requests().get(0).options().salvage()).isEqualTo(Set.of(FIRST));
    assertThat(engine.requests().get(0).options().flushedOnly()).isTrue();
    node.plugins.removeEngine(engine);
    node.plugins.addEngine(engine);
    untilOpenedAgain();
    assertThat(engine.requests().get(1).options().salvage()).isEmpty();
  }

  private void untilOpenedAgain() throws Exception {
    until(
        e ->
            e.status().membership().generation() == 2
                && e.status().currentState() == InstanceState.RUNNING);
  }

  @Test
  void nextOpeningContainsAddedReplicas() throws Exception {
    run();
    assertThat(engine.requests().get(0).replicas()).hasSize(1);
    node.plugins.removeEngine(engine);
    node.plugins.addEngine(engine);
    untilOpenedAgain();
    assertThat(engine.requests().get(1).replicas())
        .extracting(location -> location.replica())
        .containsExactly(FIRST, SECOND);
  }

  @Test
  void engineThatReachesOnlyItsNodeReportsWhereToAttach() throws Exception {
    Replica remote = VolumeResources.replica(FIRST, "node-2", disk);
    store.create(remote.withStatus(remote.status().withProvisioned(true)));
    store.create(VolumeResources.engine(NODE, DesireState.RUNNING));
    Engine refused = until(e -> e.status().currentState() == InstanceState.ERROR);
    assertThat(Condition.find(refused.status().conditions(), EngineStatuses.READY))
        .get()
        .extracting(Condition::message)
        .asString()
        .contains("attach the volume to node node-2");
  }

  @Test
  void anEngineThatReachesOtherNodesIsGivenAllReplicas() throws Exception {
    node.plugins.removeEngine(engine);
    engine = new RebuildingEngine(new FakeEngine("fake", disks), true);
    node.plugins.addEngine(engine);
    Replica remote = VolumeResources.replica(SECOND, "node-2", disk);
    store.create(remote.withStatus(remote.status().withProvisioned(true)));
    store.create(VolumeResources.replica(FIRST, NODE, disk));
    store.create(VolumeResources.engine(NODE, DesireState.RUNNING));
    until(e -> e.status().currentState() == InstanceState.RUNNING);
    assertThat(engine.requests().get(0).replicas())
        .extracting(location -> location.replica() + " on " + location.nodeId())
        .containsExactly(FIRST + " on " + NODE, SECOND + " on node-2");
  }
}
