package dev.holdfast.datapath.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumeStatus.Phase;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.datapath.testkit.FakePortal;
import dev.holdfast.datapath.testkit.FakeRegister;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportStateStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The steps of a data path, one after the other on one thread, in orders that events bring about.
 */
class PathStepsTest {
  private static final String VOLUME = "vol";
  private static final long SIZE = 1 << 20;

  private final InstantSource clock = InstantSource.fixed(Instant.EPOCH.plusSeconds(60));
  private final FakeEngine engine = new FakeEngine("fake", new FakeEngine.Disks());
  private final InstalledPlugins plugins = new InstalledPlugins();
  private final FakePortal portal = new FakePortal();
  private final FakeRegister register = new FakeRegister();
  private final PathProgress progress = new PathProgress(clock);
  private final VolumeStack served = new VolumeStack(VOLUME, Runnable::run);
  private final PathSteps steps =
      new PathSteps(
          VOLUME,
          new EngineBinding(
              VOLUME,
              plugins,
              served,
              new EngineReplacements(clock),
              SilentListener::new,
              Runnable::run),
          served,
          progress);

  private static final class SilentListener implements OpeningListener {
    @Override
    public void becomeCurrent(OpenVolume opened) {}

    @Override
    public void replicaChanged(String replica, MemberMode mode, String reason) {}

    @Override
    public void failed(StorageException cause) {}
  }

  private static final class NothingKept implements ExportStateStore {
    @Override
    public Map<String, String> load() {
      return Map.of();
    }

    @Override
    public void save(Map<String, String> texts) {}
  }

  @BeforeEach
  void install() {
    plugins.addEngine(engine);
  }

  private OpenParameters opening() {
    ReplicaLocation replica =
        new ReplicaLocation(VOLUME, "vol-r-1", "node-1", Path.of("/disk"), "vol-1");
    engine.provisionReplica(replica, SIZE);
    return new OpenParameters(
        "fake",
        listener -> new OpenRequest(VOLUME, SIZE, "node-1", List.of(replica), register, listener));
  }

  private void publish() {
    steps.publish(portal, "nbd", new NothingKept());
  }

  private Phase phase() {
    return progress.view().phase();
  }

  @Test
  void whatIsOrderedBeforeItIsOpenDoesNothing() {
    AttachedVolumeStatus before = progress.view();
    publish();
    steps.admit(Optional.of("node-2"));
    steps.engineLeaving(engine);
    steps.catchUp();
    CompletableFuture<Long> asked = new CompletableFuture<>();
    steps.operate((opened, view) -> opened.device().size(), asked);
    assertThat(progress.view()).isEqualTo(before);
    assertThat(portal.exports()).isEmpty();
    assertThat(asked)
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("volume vol is not open on this node");
  }

  @Test
  void requestsWaitWhileNoEngineIsThere() {
    steps.open(opening());
    publish();
    BlockDevice device = portal.device(VOLUME).orElseThrow();
    plugins.removeEngine(engine);
    steps.engineLeaving(engine);
    assertThat(phase()).isEqualTo(Phase.HELD);
    assertThat(engine.openVolumes()).isEmpty();
    assertThat(portal.exports()).containsExactly(VOLUME);
    List<String> answers = new ArrayList<>();
    device.read(
        0,
        ByteBuffer.allocateDirect(4096),
        failure -> answers.add(failure == null ? "read" : failure.getMessage()));
    assertThat(answers).isEmpty();
    plugins.addEngine(engine);
    steps.engineArrived("another");
    assertThat(phase()).isEqualTo(Phase.HELD);
    steps.engineArrived("fake");
    assertThat(phase()).isEqualTo(Phase.OPEN);
    assertThat(answers).containsExactly("read");
  }

  @Test
  void anEngineThatArrivesIsTriedAtOnceAfterAFailure() {
    engine.failOpening(ErrorCode.IO);
    steps.open(opening());
    assertThat(phase()).isEqualTo(Phase.FAILED);
    assertThat(progress.view().retryAt()).isAfter(clock.instant());
    steps.engineArrived("fake");
    assertThat(progress.view().retryAt()).isBeforeOrEqualTo(clock.instant());
    steps.open(opening());
    assertThat(phase()).isEqualTo(Phase.OPEN);
    assertThat(engine.openVolumes()).containsExactly(VOLUME);
  }

  @Test
  void brokenDownVolumeIsWithdrawnAndCanBeOpenedAgain() {
    steps.open(opening());
    publish();
    steps.breakDown(new StorageException(ErrorCode.IO, "its last replica failed"));
    assertThat(phase()).isEqualTo(Phase.FAILED);
    assertThat(portal.exports()).isEmpty();
    assertThat(engine.openVolumes()).isEmpty();
    steps.open(opening());
    publish();
    assertThat(phase()).isEqualTo(Phase.OPEN);
    assertThat(portal.exports()).containsExactly(VOLUME);
  }
}
