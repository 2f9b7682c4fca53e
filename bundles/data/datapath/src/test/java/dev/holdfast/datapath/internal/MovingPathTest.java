package dev.holdfast.datapath.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumeStatus.Phase;
import dev.holdfast.datapath.InstalledEngine;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.datapath.testkit.FakePortal;
import dev.holdfast.datapath.testkit.FakeRegister;
import dev.holdfast.datapath.testkit.RunningControllers;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.osgi.framework.Version;

/** The data paths of two nodes between which a volume moves. */
@Timeout(60)
class MovingPathTest {
  private static final String ENGINE = "vol-e-0";
  private static final String VOLUME = "vol";
  private static final int SIZE = 1 << 20;

  private final FakeEngine.Disks disks = new FakeEngine.Disks();
  private final ForwardingFake.Network network = new ForwardingFake.Network();
  private final FakeRegister register = new FakeRegister();
  private final TestNode source = new TestNode("node-1");
  private final TestNode target = new TestNode("node-2");

  /** The parts of a node that carry bytes. */
  private final class TestNode {
    private final String name;
    private final FakeEngine engine = new FakeEngine("fake", disks);
    private final InstalledPlugins plugins = new InstalledPlugins();
    private final FakePortal portal = new FakePortal();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final LocalAttachedVolumes volumes;

    TestNode(String name) {
      this.name = name;
      this.volumes =
          new LocalAttachedVolumes(
              plugins, threads, VolumeActivity.notKept(), InstantSource.system(), name);
      plugins.addEngine(new ForwardingFake(name, engine, network));
      volumes.addPortal(portal);
    }

    OpenParameters opening() {
      ReplicaLocation replica =
          new ReplicaLocation(VOLUME, "vol-r-1", name, Path.of("/disk"), "vol-1");
      engine.provisionReplica(replica, SIZE);
      return new OpenParameters(
          "fake",
          listener -> new OpenRequest(VOLUME, SIZE, name, List.of(replica), register, listener),
          "nbd");
    }

    void await(Predicate<AttachedVolumeStatus> wanted) {
      while (volumes.find(ENGINE).map(LocalAttachedVolume::status).filter(wanted).isEmpty()) {
        Thread.onSpinWait();
      }
    }

    LocalAttachedVolume volume() {
      return volumes.obtain(ENGINE, VOLUME).orElseThrow();
    }

    BlockDevice published() {
      volume().publish("nbd");
      await(view -> !view.endpoint().isEmpty());
      return portal.device(VOLUME).orElseThrow();
    }

    void stop() {
      volumes.stop();
    }
  }

  @BeforeEach
  void open() {
    source.volume().open(source.opening());
    source.await(view -> view.phase() == Phase.OPEN);
    source.volume().admit(Set.of("node-2"));
    source.await(view -> view.admits().equals(Set.of("node-2")));
    target.volume().open(OpenParameters.forward("fake", "node-1"));
    target.await(view -> view.phase() == Phase.FORWARDING);
  }

  @AfterEach
  void stop() {
    target.stop();
    source.stop();
  }

  private static CompletableFuture<Void> write(BlockDevice device, int value) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    ByteBuffer bytes = ByteBuffer.allocateDirect(4096);
    while (bytes.hasRemaining()) {
      bytes.put((byte) value);
    }
    device.write(0, bytes.flip(), IoFlags.NONE, failure -> end(done, failure));
    return done;
  }

  private static void end(CompletableFuture<Void> done, StorageException failure) {
    if (failure == null) {
      done.complete(null);
    } else {
      done.completeExceptionally(failure);
    }
  }

  private static int read(BlockDevice device) throws Exception {
    CompletableFuture<Void> done = new CompletableFuture<>();
    ByteBuffer bytes = ByteBuffer.allocateDirect(4096);
    device.read(0, bytes, failure -> end(done, failure));
    done.get(30, TimeUnit.SECONDS);
    return bytes.get(4095);
  }

  private void closeSource() {
    var unused = source.volume().close();
    while (source.volumes.find(ENGINE).isPresent()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void bothNodesShowOneVolume() throws Exception {
    BlockDevice there = target.published();
    BlockDevice here = source.published();
    write(here, 1).get(30, TimeUnit.SECONDS);
    assertThat(read(there)).isEqualTo(1);
    write(there, 2).get(30, TimeUnit.SECONDS);
    assertThat(read(here)).isEqualTo(2);
    assertThat(target.engine.openVolumes()).as("opened by the target").isEmpty();
  }

  @Test
  void writesDuringTheMoveWaitAndAreDoneHere() throws Exception {
    BlockDevice there = target.published();
    closeSource();
    assertThat(network.welcome(VOLUME)).as("the node admitted by a closed volume").isEmpty();
    CompletableFuture<Void> waiting = write(there, 3);
    target.engine.failOpening(ErrorCode.UNREACHABLE);
    target.volume().takeOver(target.opening());
    target.await(view -> view.failure().isPresent());
    assertThat(waiting).isNotDone();

    target.volume().takeOver(target.opening());
    target.await(view -> view.phase() == Phase.OPEN);
    waiting.get(30, TimeUnit.SECONDS);
    assertThat(read(there)).isEqualTo(3);
    assertThat(target.portal.device(VOLUME)).as("the export stays").contains(there);
    assertThat(register.read().owner()).isEqualTo("node-2");
  }

  @Test
  void targetIsFencedAfterItsReport() {
    source.volume().admit(Set.of());
    source.await(view -> view.admits().isEmpty());
    assertThat(network.welcome(VOLUME)).isEmpty();
    var unused = target.volume().close();
    while (target.volumes.find(ENGINE).isPresent()) {
      Thread.onSpinWait();
    }
    assertThat(target.portal.exports()).isEmpty();
  }

  @Test
  void forwardingNodeFollowsTheSizeOfTheOwner() throws Exception {
    MemoryResourceStore store = new MemoryResourceStore();
    Engine engine = VolumeResources.engine("node-1", DesireState.RUNNING);
    EngineSpec shared = engine.spec().withServingNodeIDs(List.of("node-2"));
    Engine created = store.create(engine.withSpec(shared));
    store.create(
        Volume.of(VOLUME, VolumeSpec.EMPTY.withSize(VolumeResources.SIZE).withDataEngine("fake")));
    try (RunningControllers controllers = new RunningControllers(store, Clock.systemUTC())) {
      controllers.add(new OpenVolumeReconciler(target.volumes));
      store.updateStatus(
          created.withStatus(created.status().withCurrentSize(new Quantity(2 * SIZE))));
      while (!network.followed.contains(2L * SIZE)) {
        Thread.onSpinWait();
      }
    }
    store.close();
  }

  @Test
  void nothingIsDoneToAVolumeThatIsOnlyForwarded() {
    CompletableFuture<Boolean> done = target.volume().operate((opened, view) -> true);
    assertThat(done)
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(StorageException.class)
        .withMessageContaining("is not open on this node");
  }

  @Test
  void aLaterBundleOfTheSourceAdmitsTheTargetAgain() {
    FakeEngine later = new FakeEngine("fake", disks);
    source.plugins.add(
        new InstalledEngine(
            new ForwardingFake("node-1", later, network), 7, "", new Version("9.0.0"), 0));
    // The first engine stops admitting nodes before the later one opens the volume.
    source.await(
        view ->
            later.openVolumes().contains(VOLUME)
                && network.welcome(VOLUME).equals(Optional.of("node-2")));
    assertThat(source.engine.openVolumes()).as("left with the engine before").isEmpty();
  }
}
