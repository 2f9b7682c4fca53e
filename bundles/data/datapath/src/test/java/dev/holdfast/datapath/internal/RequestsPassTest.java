package dev.holdfast.datapath.internal;

import static dev.holdfast.datapath.testkit.VolumeResources.ENGINE;
import static dev.holdfast.datapath.testkit.VolumeResources.NODE;
import static dev.holdfast.datapath.testkit.VolumeResources.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.engine.EngineListener.RequestWait;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Condition of an Engine about requests that wait. */
class RequestsPassTest {
  private static final RequestWait FULL = new RequestWait("GroupFull", "group vg0 has no room");

  @TempDir private Path disk;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final FakeEngine engine = new FakeEngine("fake", new FakeEngine.Disks());
  private RunningNode node;

  @BeforeEach
  void serve() throws Exception {
    node = new RunningNode(store, disk);
    node.plugins.addEngine(engine);
    store.create(
        Volume.of(VOLUME, VolumeSpec.EMPTY.withSize(VolumeResources.SIZE).withDataEngine("fake")));
    store.create(VolumeResources.replica("vol-r-00000001", NODE, disk));
    store.create(VolumeResources.engine(NODE, DesireState.RUNNING));
    until(e -> e.status().currentState() == InstanceState.RUNNING);
    engine.volume(VOLUME).orElseThrow().tellWaiting(Optional.of(FULL));
  }

  @AfterEach
  void stop() {
    node.close();
    store.close();
  }

  private Engine until(Predicate<Engine> wanted) throws Exception {
    return Awaiting.until(store, Engine.KIND, ENGINE, wanted);
  }

  private static Optional<Condition> told(Engine engine) {
    return Condition.find(engine.status().conditions(), Engine.REQUESTS_PASS_CONDITION);
  }

  @Test
  void engineReportsTheCauseOfWaitingRequestsUntilTheyPass() throws Exception {
    Engine waiting = until(e -> told(e).isPresent());
    assertThat(told(waiting).orElseThrow().status()).isEqualTo(Condition.Status.FALSE);
    assertThat(told(waiting).orElseThrow().reason()).isEqualTo("GroupFull");
    assertThat(told(waiting).orElseThrow().message()).isEqualTo("group vg0 has no room");
    assertThat(waiting.status().currentState()).isEqualTo(InstanceState.RUNNING);
    engine.volume(VOLUME).orElseThrow().tellWaiting(Optional.empty());
    until(e -> told(e).isEmpty());
  }

  @Test
  void closedVolumeReportsNoWait() throws Exception {
    Engine open = until(e -> told(e).isPresent());
    store.update(open.withSpec(open.spec().withDesireState(DesireState.STOPPED)));
    until(e -> e.status().currentState() == InstanceState.STOPPED && told(e).isEmpty());
  }

  @Test
  void nextOpeningForgetsReportsOfTheEarlierOne() throws Exception {
    until(e -> told(e).isPresent());
    engine.volume(VOLUME).orElseThrow().fail(ErrorCode.IO);
    until(e -> e.status().currentState() == InstanceState.RUNNING && told(e).isEmpty());
  }
}
