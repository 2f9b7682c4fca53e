package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.export.ExportHost;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.vm.testkit.RecordingHost.Moment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Holds that end without a call. {@link LvmCrashTest} covers the end of the process. */
class HoldTest {
  private static final long SIZE = 16L << 20;
  private static final Duration DRAIN = Duration.ofSeconds(20);

  @TempDir private Path folder;
  private final SimulatedLab lab = new SimulatedLab();
  private LvmEngine engine;
  private NativeExport export;
  private String device;

  @BeforeEach
  void export() throws Exception {
    engine = lab.start();
    DiskLocation disk = lab.disk(folder, 1);
    var unused = engine.prepareDisk(disk);
    ReplicaLocation replica = new ReplicaLocation("vol", "vol-r", disk, "vol-1", false);
    engine.provisionReplica(replica, SIZE);
    LvmVolume volume =
        (LvmVolume)
            engine.open(
                new OpenRequest(
                    "vol",
                    SIZE,
                    "node-1",
                    List.of(replica),
                    new InMemoryRegister(),
                    new RecordingListener()));
    export = volume.export(ExportRequest.of("device", "vol", List.of(ExportHost.LOCAL)));
    Path path = Path.of(export.endpoints().get(0).getSchemeSpecificPart());
    device = path.getFileName().toString();
  }

  private boolean isHeld() {
    return lab.simulation().mapper.isSuspended(device);
  }

  @Test
  void holdEndsWhenTheEngineStops() throws Exception {
    var unused = export.hold(DRAIN);
    assertThat(isHeld()).isTrue();
    lab.stop(engine);
    assertThat(isHeld()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void holdThatFailsLetsRequestsPass(Moment moment) throws Exception {
    StorageException lost = new StorageException(ErrorCode.UNREACHABLE, "the answer is lost");
    lab.host().fail(command -> command.contains("suspend"), moment, lost);
    assertThatThrownBy(() -> export.hold(DRAIN)).isEqualTo(lost);
    assertThat(isHeld()).isFalse();
    export.hold(DRAIN).close();
    assertThat(isHeld()).isFalse();
    lab.stop(engine);
  }
}
