package dev.holdfast.datapath.internal;

import static dev.holdfast.datapath.testkit.VolumeResources.ENGINE;
import static dev.holdfast.datapath.testkit.VolumeResources.NODE;
import static dev.holdfast.datapath.testkit.VolumeResources.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A volume that grows while it is open, and the status of its engine when it cannot. */
class GrowthTest {
  private static final Quantity BIG = Quantity.parse("2Mi");

  @TempDir private Path disk;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final RebuildingEngine engine =
      new RebuildingEngine(new FakeEngine("fake", new FakeEngine.Disks()), true);
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
  }

  @AfterEach
  void stop() {
    node.close();
    store.close();
  }

  private Engine until(Predicate<Engine> wanted) throws Exception {
    return Awaiting.until(store, Engine.KIND, ENGINE, wanted);
  }

  private void resize(Quantity size) throws StorageException {
    Volume volume = store.get(Volume.KIND, VOLUME).orElseThrow();
    store.update(volume.withSpec(volume.spec().withSize(size)));
  }

  private static Optional<Condition> complaint(Engine engine) {
    return Condition.find(engine.status().conditions(), EngineStatuses.EXPANSION_FAILED);
  }

  @Test
  void sizeOfTheDeviceIsReported() throws Exception {
    resize(BIG);
    assertThat(complaint(until(e -> e.status().currentSize().equals(BIG)))).isEmpty();
    assertThat(node.portal.device(VOLUME).orElseThrow().size()).isEqualTo(BIG.bytes());
  }

  @Test
  void volumeGrowsWhileOtherNodesServeItToo() throws Exception {
    Engine engine = until(e -> true);
    store.update(engine.withSpec(engine.spec().withServingNodeIDs(List.of("node-2"))));
    resize(BIG);
    assertThat(complaint(until(e -> e.status().currentSize().equals(BIG)))).isEmpty();
  }

  @Test
  void reasonOfAFailedExpansionIsReportedUntilItSucceeds() throws Exception {
    engine.failGrowth(ErrorCode.NO_SPACE);
    resize(BIG);
    Engine failed = until(e -> complaint(e).isPresent());
    assertThat(complaint(failed).orElseThrow().reason()).isEqualTo("NoSpace");
    assertThat(complaint(failed).orElseThrow().message()).isEqualTo("told not to grow");
    assertThat(failed.status().currentSize()).isEqualTo(VolumeResources.SIZE);
    until(e -> e.status().currentSize().equals(BIG) && complaint(e).isEmpty());
  }
}
