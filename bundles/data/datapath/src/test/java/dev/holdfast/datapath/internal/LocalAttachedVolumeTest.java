package dev.holdfast.datapath.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumeStatus.Phase;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.datapath.testkit.FakePortal;
import dev.holdfast.datapath.testkit.FakeRegister;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The steps of a data path, one after the other on one thread, in the orders that events can cause.
 */
class LocalAttachedVolumeTest {
  private static final String VOLUME = "vol";
  private static final long SIZE = 1 << 20;

  private final InstantSource clock = InstantSource.fixed(Instant.EPOCH.plusSeconds(60));
  private final FakeEngine engine = new FakeEngine("fake", new FakeEngine.Disks());
  private final InstalledPlugins plugins = new InstalledPlugins();
  private final FakePortal portal = new FakePortal();
  private final FakeRegister register = new FakeRegister();
  private final LocalAttachedVolumes volumes =
      new LocalAttachedVolumes(plugins, Runnable::run, VolumeActivity.notKept(), clock, "node-1");
  private final LocalAttachedVolume attached = volumes.obtain("vol-e-0", VOLUME).orElseThrow();

  @BeforeEach
  void install() {
    volumes.addPortal(portal);
    plugins.addEngine(engine);
  }

  private OpenParameters opening() {
    ReplicaLocation replica =
        new ReplicaLocation(VOLUME, "vol-r-1", "node-1", Path.of("/disk"), "vol-1");
    engine.provisionReplica(replica, SIZE);
    return new OpenParameters(
        "fake",
        listener -> new OpenRequest(VOLUME, SIZE, "node-1", List.of(replica), register, listener),
        "nbd");
  }

  private void publish() {
    attached.publish("nbd");
  }

  private Phase phase() {
    return attached.status().phase();
  }

  @Test
  void commandBeforeTheOpeningHasNoEffect() {
    AttachedVolumeStatus before = attached.status();
    publish();
    attached.admit(Set.of("node-2"));
    assertThat(attached.engineLeaving(engine)).isNotNull();
    attached.catchUp();
    CompletableFuture<Long> asked = attached.operate((opened, status) -> opened.device().size());
    assertThat(attached.status()).isEqualTo(before);
    assertThat(portal.exports()).isEmpty();
    assertThat(asked)
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("volume vol is not open on this node");
  }

  @Test
  void requestsWaitWhileNoEngineIsThere() {
    attached.open(opening());
    publish();
    BlockDevice device = portal.device(VOLUME).orElseThrow();
    plugins.removeEngine(engine);
    assertThat(phase()).isEqualTo(Phase.HELD);
    assertThat(engine.openVolumes()).isEmpty();
    assertThat(portal.exports()).containsExactly(VOLUME);
    List<String> answers = new ArrayList<>();
    device.read(
        0,
        ByteBuffer.allocateDirect(4096),
        failure -> answers.add(failure == null ? "read" : failure.getMessage()));
    assertThat(answers).isEmpty();
    plugins.addEngine(new FakeEngine("another", new FakeEngine.Disks()));
    assertThat(phase()).isEqualTo(Phase.HELD);
    plugins.addEngine(engine);
    assertThat(phase()).isEqualTo(Phase.OPEN);
    assertThat(answers).containsExactly("read");
  }

  /** A server above the device would pass the failure on to its clients. */
  @Test
  void requestsOfAVolumeThatWasTakenOverEndAfterItsExport() {
    attached.open(opening());
    publish();
    BlockDevice device = portal.device(VOLUME).orElseThrow();
    engine.volume(VOLUME).orElseThrow().refuseRequests();
    List<String> answers = new ArrayList<>();
    device.write(
        0,
        ByteBuffer.allocateDirect(4096),
        IoFlags.NONE,
        failure -> answers.add(failure.code() + " with exports " + portal.exports()));
    assertThat(answers).isEmpty();
    assertThat(volumes.takenOver()).isEmpty();
    engine.volume(VOLUME).orElseThrow().fail(ErrorCode.FORBIDDEN);
    assertThat(answers).containsExactly("FORBIDDEN with exports []");
    assertThat(volumes.takenOver()).containsExactly(VOLUME);
    attached.open(opening());
    assertThat(phase()).isEqualTo(Phase.OPEN);
    assertThat(volumes.takenOver()).isEmpty();
  }

  @Test
  void anEngineThatArrivesIsTriedAtOnceAfterAFailure() {
    engine.failOpening(ErrorCode.IO);
    attached.open(opening());
    assertThat(phase()).isEqualTo(Phase.FAILED);
    assertThat(attached.status().retryAt()).isAfter(clock.instant());
    attached.engineArrived("fake");
    assertThat(attached.status().retryAt()).isBeforeOrEqualTo(clock.instant());
    attached.open(opening());
    assertThat(phase()).isEqualTo(Phase.OPEN);
    assertThat(engine.openVolumes()).containsExactly(VOLUME);
  }

  @Test
  void brokenDownVolumeIsWithdrawnAndCanBeOpenedAgain() {
    attached.open(opening());
    publish();
    engine.volume(VOLUME).orElseThrow().fail(ErrorCode.IO);
    assertThat(phase()).isEqualTo(Phase.FAILED);
    assertThat(portal.exports()).isEmpty();
    assertThat(engine.openVolumes()).isEmpty();
    attached.open(opening());
    publish();
    assertThat(phase()).isEqualTo(Phase.OPEN);
    assertThat(portal.exports()).containsExactly(VOLUME);
  }

  @Test
  void closedVolumeIsNotReportedOverItsSuccessor() throws Exception {
    try (MemoryResourceStore store = new MemoryResourceStore()) {
      Engine engineOfNode = VolumeResources.engine("node-1", DesireState.RUNNING);
      Engine claimed = store.create(engineOfNode);
      store.updateStatus(claimed.withStatus(claimed.status().withNodeID("node-1")));
      volumes.addStore(store);
      attached.open(opening());
      assertThat(attached.close()).isDone();
      LocalAttachedVolume successor = volumes.obtain("vol-e-0", VOLUME).orElseThrow();
      successor.open(opening());
      EngineStatus reported = store.get(Engine.KIND, "vol-e-0").orElseThrow().status();
      volumes.report(attached);
      assertThat(successor.status().phase()).isEqualTo(Phase.OPEN);
      assertThat(store.get(Engine.KIND, "vol-e-0").orElseThrow().status()).isEqualTo(reported);
    }
  }
}
