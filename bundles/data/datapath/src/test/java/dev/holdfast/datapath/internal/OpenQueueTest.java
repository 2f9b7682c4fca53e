package dev.holdfast.datapath.internal;

import static dev.holdfast.datapath.testkit.VolumeResources.NODE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** After a restart the volumes that were used most come up first. */
class OpenQueueTest {
  private static final int VOLUMES = 12;

  @TempDir private Path disk;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final FakeEngine.Disks disks = new FakeEngine.Disks();
  private Optional<RunningNode> node = Optional.empty();

  @AfterEach
  void stop() {
    node.ifPresent(RunningNode::close);
    store.close();
  }

  /** Opens no volume before the test permits it, and records the order of the requests. */
  private static final class Doorkeeper implements EngineProvider {
    private final EngineProvider engine;
    private final CountDownLatch asked;
    private final CountDownLatch door = new CountDownLatch(1);
    private final List<String> order = Collections.synchronizedList(new ArrayList<>());

    Doorkeeper(EngineProvider engine, int expected) {
      this.engine = engine;
      this.asked = new CountDownLatch(expected);
    }

    @Override
    public String name() {
      return engine.name();
    }

    @Override
    public Set<EngineCapability> capabilities() {
      return engine.capabilities();
    }

    @Override
    public void provisionReplica(ReplicaLocation replica, long bytes) throws StorageException {
      engine.provisionReplica(replica, bytes);
    }

    @Override
    public void deleteReplica(ReplicaLocation replica) throws StorageException {
      engine.deleteReplica(replica);
    }

    @Override
    public Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) throws StorageException {
      return engine.inspectReplica(replica);
    }

    @Override
    public OpenVolume open(OpenRequest request) throws StorageException {
      order.add(request.volume());
      asked.countDown();
      try {
        assertThat(door.await(60, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return engine.open(request);
    }
  }

  private static String engineOf(String volume) {
    return "engine-of-" + volume;
  }

  private static String volume(int number) {
    return String.format("v%02d", number);
  }

  private void make(String name) throws StorageException {
    Map<String, String> labels = Map.of("holdfast.dev/volume", name);
    Replica replica = VolumeResources.replica(name + "-r-0000000a", NODE, disk);
    store.create(
        replica
            .withMetadata(replica.metadata().withLabels(labels))
            .withSpec(replica.spec().withVolume(name)));
    dev.holdfast.resource.volume.Engine engine = VolumeResources.engine(NODE, DesireState.RUNNING);
    store.create(
        engine
            .withMetadata(engine.metadata().withName(engineOf(name)).withLabels(labels))
            .withSpec(engine.spec().withVolume(name)));
  }

  private RunningNode start(Clock clock) {
    RunningNode started = new RunningNode(store, disk, clock);
    node = Optional.of(started);
    return started;
  }

  /** Returns a clock that stands still, so that no volume exceeds its time. */
  private static Clock stopped() {
    return Clock.fixed(Instant.now(), ZoneOffset.UTC);
  }

  /** Makes the volumes, uses some of them, and stops. */
  private void useSome() throws Exception {
    RunningNode first = start(Clock.systemUTC());
    first.plugins.addEngine(new FakeEngine("fake", disks));
    for (int i = 0; i < VOLUMES; i++) {
      make(volume(i));
    }
    awaitServed(first);
    use(first, 11, 300);
    use(first, 7, 200);
    use(first, 9, 100);
    use(first, 5, 50);
    first.close();
  }

  /** Permits all openings once the first four have asked. */
  private void openDoor(RunningNode running, Doorkeeper engine) throws Exception {
    assertThat(engine.asked.await(30, TimeUnit.SECONDS)).isTrue();
    engine.door.countDown();
    awaitServed(running);
    assertThat(engine.order).hasSize(VOLUMES);
    assertThat(engine.order.subList(0, 4)).containsExactlyInAnyOrder("v11", "v07", "v09", "v05");
  }

  private void awaitServed(RunningNode running) throws Exception {
    for (int i = 0; i < VOLUMES; i++) {
      Awaiting.until(
          store,
          dev.holdfast.resource.volume.Engine.KIND,
          engineOf(volume(i)),
          e ->
              e.status().currentState() == InstanceState.RUNNING
                  && !e.status().endpoint().isEmpty());
    }
    assertThat(running.portal.exports()).hasSize(VOLUMES);
  }

  private static void use(RunningNode running, int number, int requests) throws Exception {
    BlockDevice device = running.portal.device(volume(number)).orElseThrow();
    for (int i = 0; i < requests; i++) {
      CountDownLatch done = new CountDownLatch(1);
      device.write(0, ByteBuffer.wrap(new byte[1]), IoFlags.NONE, failure -> done.countDown());
      assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void theMostUsedVolumesComeUpFirst() throws Exception {
    useSome();
    Doorkeeper engine = new Doorkeeper(new FakeEngine("fake", disks), 4);
    RunningNode second = start(stopped());
    second.plugins.addEngine(engine);
    openDoor(second, engine);
  }

  @Test
  void volumesAreOpenedInOrderAfterALateInstallationOfTheirEngine() throws Exception {
    useSome();
    RunningNode second = start(stopped());
    for (int i = 0; i < VOLUMES; i++) {
      Awaiting.until(
          store,
          dev.holdfast.resource.volume.Engine.KIND,
          engineOf(volume(i)),
          e -> e.status().conditions().stream().anyMatch(c -> c.reason().equals("NotInstalled")));
    }
    Doorkeeper engine = new Doorkeeper(new FakeEngine("fake", disks), 4);
    second.plugins.addEngine(engine);
    openDoor(second, engine);
  }
}
