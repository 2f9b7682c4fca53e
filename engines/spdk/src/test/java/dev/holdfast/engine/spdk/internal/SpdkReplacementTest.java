package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.spdk.internal.volume.SpdkVolume;
import org.junit.jupiter.api.Test;

/** Open volumes in use whose target is replaced by another process. */
class SpdkReplacementTest extends TargetEndTestBase {
  /** Replaces the target under writes. Returns the number of connections of the host. */
  private int replaceUnderWrites(SpdkVolume volume) throws Exception {
    Writing writing = new Writing(volume);
    lab.outdate();
    Eventually.holds("replacement", () -> !lab.isOutdated());
    writing.awaitMore();
    writing.finish();
    return writing.connections();
  }

  @Test
  void allReplicasStayCurrentAndEqual() throws Exception {
    try (SpdkVolume volume = open(2)) {
      long generation = register.record().generation();
      assertThat(replaceUnderWrites(volume)).as("connections of the host").isGreaterThan(1);
      assertThat(register.record().generation()).isEqualTo(generation);
      assertThat(register.record().members()).hasSize(2);
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
      byte[] content = new DeviceIo(volume.device()).read(0, (int) SIZE);
      volume.removeReplica("vol-r-1");
      assertThat(new DeviceIo(volume.device()).read(0, (int) SIZE))
          .as("content of the other replica")
          .isEqualTo(content);
    }
  }

  @Test
  void allReplicasCountWhenTheSecondAttemptToRestoreSucceeds() throws Exception {
    try (SpdkVolume volume = open(2)) {
      new DeviceIo(volume.device()).write(0, BlockWriter.numbered(7));
      volume.pause();
      restartTarget();
      lab.failNext("bdev_raid_create");
      volume.resume(true);
      assertThat(new DeviceIo(volume.device()).read(0, 4_096)).isEqualTo(BlockWriter.numbered(7));
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
    }
  }

  @Test
  void hostsStayConnectedWhenTheProcessIsNotReplaced() throws Exception {
    try (SpdkVolume volume = open(2)) {
      lab.refuseReplacement();
      assertThat(replaceUnderWrites(volume)).as("connections of the host").isEqualTo(1);
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
    }
  }

  /**
   * If the records were not clean, only one replica would count after the end of both processes.
   */
  @Test
  void allReplicasCountWhenTheEngineEndsInTheReplacement() throws Exception {
    SpdkVolume volume = open(2);
    new DeviceIo(volume.device()).write(0, BlockWriter.numbered(7));
    volume.pause();
    lab.killTarget();
    lab.kill(engine);
    lab.startTarget();
    engine = lab.start();
    try (SpdkVolume again = reopen(2)) {
      assertThat(again.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
      assertThat(new DeviceIo(again.device()).read(0, 4_096)).isEqualTo(BlockWriter.numbered(7));
    }
  }
}
