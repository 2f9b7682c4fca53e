package dev.holdfast.csi.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.csi.internal.server.RequestedAccess;
import dev.holdfast.csi.v1.Csi;
import dev.holdfast.csi.v1.Csi.VolumeCapability.AccessMode.Mode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.HostInitiators;
import dev.holdfast.host.LocalHost;
import dev.holdfast.initiator.HostState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import io.grpc.Status;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reported use of a volume while it is unmounted. */
class NodeVolumesTest {
  private static final String PATH = "/staging";
  private static final Volume VOLUME = Volume.of("vol", VolumeSpec.EMPTY);
  private static final Csi.NodeGetVolumeStatsResponse MEASURED =
      Csi.NodeGetVolumeStatsResponse.newBuilder()
          .addUsage(Csi.VolumeUsage.newBuilder().setTotal(7))
          .build();

  @TempDir private Path folder;
  private StagedVolumes staged;

  @BeforeEach
  void stage() throws Exception {
    staged = new StagedVolumes(new HostState(folder));
    RequestedAccess device = new RequestedAccess(true, Mode.SINGLE_NODE_WRITER, "", List.of());
    staged.write(StagedVolume.planned("vol", PATH, device, false).on("/dev/x", ""));
  }

  private Csi.NodeGetVolumeStatsResponse stats(UsageMeter meter) throws Exception {
    return new NodeVolumes(
            new LocalHost(),
            new MemoryResourceStore(),
            "node-1",
            new HostInitiators(List.of()),
            staged,
            new ShareStaging(new LocalHost(), new MemoryResourceStore(), staged),
            meter)
        .stats(VOLUME, PATH);
  }

  private static StorageException broken() {
    return new StorageException(ErrorCode.IO, "stat: cannot read file system information");
  }

  private static void assertNotThere(ThrowingStats stats) {
    assertThatThrownBy(stats::get)
        .satisfies(
            failure ->
                assertThat(Status.fromThrowable(failure).getCode())
                    .isEqualTo(Status.Code.NOT_FOUND));
  }

  private interface ThrowingStats {
    Csi.NodeGetVolumeStatsResponse get() throws Exception;
  }

  @Test
  void volumeThatIsTakenAwayWhileItIsMeasuredIsNotThere() {
    assertNotThere(
        () ->
            stats(
                (record, path) -> {
                  staged.delete(record.volume());
                  throw broken();
                }));
  }

  @Test
  void usageMeasuredAfterAnUnmountIsNotReported() {
    assertNotThere(
        () ->
            stats(
                (record, path) -> {
                  staged.delete(record.volume());
                  return MEASURED;
                }));
  }

  @Test
  void volumeThatIsThereAndCannotBeMeasuredIsAFailure() {
    assertThatThrownBy(
            () ->
                stats(
                    (record, path) -> {
                      throw broken();
                    }))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("cannot read");
  }

  @Test
  void volumeThatStaysIsMeasured() throws Exception {
    assertThat(stats((record, path) -> MEASURED)).isEqualTo(MEASURED);
  }
}
