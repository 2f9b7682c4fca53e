package dev.holdfast.datapath.internal;

import static dev.holdfast.datapath.testkit.VolumeResources.ENGINE;
import static dev.holdfast.datapath.testkit.VolumeResources.NODE;
import static dev.holdfast.datapath.testkit.VolumeResources.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A volume whose disk one node uses at a time: its place, and its moves. */
class PlacementTest {
  private static final String OTHER = "node-9";

  @TempDir private Path disk;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final PlacedEngine placed =
      new PlacedEngine(new FakeEngine("fake", new FakeEngine.Disks()), OTHER);
  private RunningNode node;

  @BeforeEach
  void serve() throws Exception {
    node = new RunningNode(store, disk);
    node.plugins.addEngine(placed);
    store.create(
        Volume.of(VOLUME, VolumeSpec.EMPTY.withSize(VolumeResources.SIZE).withDataEngine("fake")));
    store.create(VolumeResources.replica("vol-r-00000001", NODE, disk));
    store.create(VolumeResources.engine(NODE, DesireState.RUNNING));
    Engine unused = until(e -> e.status().currentState() == InstanceState.RUNNING);
  }

  @AfterEach
  void stop() {
    node.close();
    store.close();
  }

  private Engine until(Predicate<Engine> wanted) throws Exception {
    return Awaiting.until(store, Engine.KIND, ENGINE, wanted);
  }

  private void choose(String active) throws StorageException {
    Volume volume = store.get(Volume.KIND, VOLUME).orElseThrow();
    var unused = store.update(volume.withSpec(volume.spec().withActiveNodeID(active)));
  }

  private static Condition placed(Engine engine) {
    return Condition.find(engine.status().conditions(), Engine.PLACED_CONDITION).orElseThrow();
  }

  @Test
  void activeNodeIsReportedWithTheCommandThatMovesIt() throws Exception {
    Engine engine = until(e -> e.status().activeNodeID().equals(OTHER));
    assertThat(placed(engine).status()).isEqualTo(Condition.Status.FALSE);
    assertThat(placed(engine).reason()).isEqualTo("Remote");
    assertThat(placed(engine).message())
        .isEqualTo(
            "requests pass through node node-9, which uses the disk: 'holdfast volume optimize "
                + VOLUME
                + " --node "
                + NODE
                + "' lets this node use it");
  }

  @Test
  void volumeMovesToTheNodeThatItsSpecNames() throws Exception {
    choose(NODE);
    Engine engine = until(e -> e.status().activeNodeID().equals(NODE));
    assertThat(placed(engine).status()).isEqualTo(Condition.Status.TRUE);
    assertThat(placed(engine).reason()).isEqualTo("Local");
  }

  @Test
  void volumeMovesToTheNodeThatItsSpecNamesDuringACallOfTheEngine() throws Exception {
    Engine unused = until(e -> e.status().activeNodeID().equals(OTHER));
    CountDownLatch waits = placed.hold();
    choose(OTHER);
    assertThat(waits.await(30, TimeUnit.SECONDS)).isTrue();
    choose(NODE);
    placed.resume();

    assertThat(placed(until(e -> e.status().activeNodeID().equals(NODE))).reason())
        .isEqualTo("Local");
  }

  @Test
  void failureOfAMoveIsReportedUntilAMoveSucceeds() throws Exception {
    Engine unused = until(e -> e.status().activeNodeID().equals(OTHER));
    choose(PlacedEngine.AWAY);
    Engine failed = until(e -> placed(e).reason().equals("Unreachable"));
    assertThat(placed(failed).message()).isEqualTo("node away does not answer");
    assertThat(failed.status().activeNodeID()).isEqualTo(OTHER);
    choose(NODE);
    Engine moved = until(e -> e.status().activeNodeID().equals(NODE));
    assertThat(placed(moved).reason()).isEqualTo("Local");
  }

  @Test
  void closedVolumeHasNoPlace() throws Exception {
    Engine open = until(e -> e.status().activeNodeID().equals(OTHER));
    var unused = store.update(open.withSpec(open.spec().withDesireState(DesireState.STOPPED)));
    Engine closed = until(e -> e.status().currentState() == InstanceState.STOPPED);
    assertThat(closed.status().activeNodeID()).isEmpty();
    assertThat(Condition.find(closed.status().conditions(), Engine.PLACED_CONDITION)).isEmpty();
  }
}
