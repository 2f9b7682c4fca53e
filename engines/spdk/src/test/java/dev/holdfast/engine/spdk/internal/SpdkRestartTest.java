package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.Rebuild;
import dev.holdfast.engine.RebuildOptions;
import dev.holdfast.engine.export.ExportHold;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.spdk.internal.volume.SpdkVolume;
import dev.holdfast.engine.testkit.HostConnection;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Open volumes whose target is killed and started again. */
class SpdkRestartTest extends TargetEndTestBase {
  private void writeThroughRestarts(SpdkVolume volume, int restarts) throws Exception {
    Writing writing = new Writing(volume);
    for (int i = 0; i < restarts; i++) {
      writing.awaitMore();
      restartTarget();
      writing.awaitMore();
    }
    writing.finish();
    assertThat(writing.connections()).as("connections of the host").isGreaterThan(restarts);
  }

  @Test
  void requestsWaitForTheTargetAndContinue() throws Exception {
    try (SpdkVolume volume = open(1)) {
      var unused = volume.createSnapshot(named("s1"));
      long generation = register.record().generation();
      writeThroughRestarts(volume, 2);
      assertThat(register.record().generation()).isEqualTo(generation);
      assertThat(new DeviceIo(volume.openSnapshot("s1")).read(0, BLOCK)).containsOnly(0);
      assertThat(volume.createSnapshot(named("s2")).parent()).isEqualTo("s1");
      volume.expand(2 * SIZE);
      assertThat(volume.device().size()).isEqualTo(2 * SIZE);
    }
  }

  @Test
  void oneReplicaCountsAndTheDecisionIsRecordedFirst() throws Exception {
    try (SpdkVolume volume = open(2)) {
      writeThroughRestarts(volume, 1);
      assertThat(register.record().members()).hasSize(1);
      assertThat(listener.modes()).containsEntry("vol-r-2", MemberMode.ERR);
      assertThat(volume.replicas())
          .containsEntry("vol-r-1", MemberMode.RW)
          .containsEntry("vol-r-2", MemberMode.ERR);
    }
  }

  @Test
  void volumeWithoutRequestsIsRestoredAndItsHoldContinues() throws Exception {
    try (SpdkVolume volume = open(1)) {
      NativeExport export = volume.export(lab.request("nvmeof", "vol"));
      Future<Void> write;
      ReconnectingHost host;
      ExportHold hold = export.hold(Duration.ofSeconds(20));
      try (hold) {
        restartTarget();
        listener.awaitExportChange();
        host = new ReconnectingHost(() -> lab.connect(export.endpoints().get(0)));
        write =
            threads.submit(
                () -> {
                  host.write(0, new byte[BLOCK]);
                  return null;
                });
        assertThat(new DeviceIo(volume.device()).read(0, BLOCK)).containsOnly(0);
        assertThat(write.isDone()).as("the host's write during the hold").isFalse();
      }
      assertThat(write.get()).isNull();
      host.close();
    }
  }

  @Test
  void holdThatIsReleasedWithoutATargetEndsWhenTheVolumeIsRestored() throws Exception {
    try (SpdkVolume volume = open(1)) {
      NativeExport export = volume.export(lab.request("nvmeof", "vol"));
      ExportHold hold = export.hold(Duration.ofSeconds(20));
      lab.killTarget();
      assertThatThrownBy(hold::close).isInstanceOf(StorageException.class);
      lab.startTarget();
      listener.awaitExportChange();
      export.hold(Duration.ofSeconds(20)).close();
      try (HostConnection host = lab.connect(export.endpoints().get(0))) {
        host.write(0, new byte[BLOCK]);
      }
    }
  }

  @Test
  void rebuildThatEndedWithTheTargetLeavesNoSnapshot() throws Exception {
    try (SpdkVolume volume = open(2)) {
      volume.removeReplica("vol-r-2");
      register.become(InMemoryRegister.Mode.UNREACHABLE);
      Rebuild rebuild = volume.rebuild(replicas(2).get(1), RebuildOptions.UNLIMITED);
      Eventually.holds("all is copied", () -> !volume.replicas().containsValue(MemberMode.WO));
      lab.killTarget();
      register.become(InMemoryRegister.Mode.REACHABLE);
      Eventually.holds("end of the rebuild", () -> rebuild.done().toCompletableFuture().isDone());
      lab.startTarget();
      new DeviceIo(volume.device()).write(0, new byte[BLOCK]);
      assertThat(volume.snapshots()).isEmpty();
    }
  }

  @Test
  void registerDecidesBeforeARestoredVolumeServes() throws Exception {
    try (SpdkVolume volume = open(2)) {
      register.become(InMemoryRegister.Mode.UNREACHABLE);
      restartTarget();
      Future<Void> write =
          threads.submit(
              () -> {
                new DeviceIo(volume.device()).write(0, new byte[BLOCK]);
                return null;
              });
      assertThatThrownBy(() -> volume.createSnapshot(named("s1")))
          .isInstanceOf(StorageException.class);
      assertThat(write.isDone()).as("a write before the decision").isFalse();
      register.become(InMemoryRegister.Mode.REACHABLE);
      assertThat(write.get()).isNull();
      assertThat(register.record().members()).hasSize(1);
    }
  }

  @Test
  void volumeThatWasOpenedElsewhereIsNotRestored() throws Exception {
    SpdkVolume volume = open(1);
    register.put(
        new Membership(
            register.record().generation() + 1,
            "node-2",
            register.record().generation() + 1,
            1,
            register.record().members()));
    restartTarget();
    assertThatThrownBy(() -> new DeviceIo(volume.device()).write(0, new byte[BLOCK]))
        .hasMessageContaining("was opened elsewhere");
    assertThat(listener.awaitFailure()).hasMessageContaining("was opened elsewhere");
  }
}
