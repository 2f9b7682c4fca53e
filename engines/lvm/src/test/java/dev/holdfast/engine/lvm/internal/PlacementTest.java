package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The node on which the pool of an open volume is active, on simulated hosts. */
class PlacementTest {
  private static final long SIZE = 16L << 20;
  private static final byte[] TEXT = Arrays.copyOf("kept".getBytes(StandardCharsets.UTF_8), 4096);

  @TempDir private Path folder;

  private static LvmVolume open(LvmEngine engine, DiskLocation disk) throws StorageException {
    ReplicaLocation replica = new ReplicaLocation("vol", "vol-r", disk, "vol-1", false);
    var unused = engine.prepareDisk(disk);
    engine.provisionReplica(replica, SIZE);
    return (LvmVolume)
        engine.open(
            new OpenRequest(
                "vol",
                SIZE,
                disk.nodeId(),
                List.of(replica),
                new InMemoryRegister(),
                new RecordingListener()));
  }

  private static ErrorCode failure(LvmVolume volume, String node) {
    try {
      volume.moveTo(node);
      throw new AssertionError("it moved to " + node);
    } catch (StorageException e) {
      return e.code();
    }
  }

  @Test
  void openVolumeMovesToANodeThatAnswersAndStaysWhereItIsOtherwise() throws Exception {
    SharedLab lab = new SharedLab();
    LvmEngine near = lab.start();
    LvmEngine far = lab.startOn("node-2");
    LvmVolume volume = open(near, lab.disk(folder, 1));
    DeviceIo io = new DeviceIo(volume.device());
    io.write(0, TEXT);
    assertThat(volume.activeNode()).isEqualTo("node-1");

    volume.moveTo("node-2");
    volume.moveTo("node-2");
    assertThat(volume.activeNode()).isEqualTo("node-2");
    assertThat(io.read(0, TEXT.length)).isEqualTo(TEXT);
    io.write(8192, TEXT);

    assertThat(failure(volume, "node-3")).isEqualTo(ErrorCode.UNREACHABLE);
    assertThat(volume.activeNode()).isEqualTo("node-2");
    volume.moveTo("node-1");
    assertThat(volume.activeNode()).isEqualTo("node-1");
    assertThat(io.read(8192, TEXT.length)).isEqualTo(TEXT);

    volume.close();
    assertThatThrownBy(() -> volume.moveTo("node-2")).hasMessageContaining("vol is closed");
    lab.stop(far);
    lab.stop(near);
  }

  @Test
  void volumeOfAGroupOfOneNodeStaysThere() throws Exception {
    SimulatedLab lab = new SimulatedLab();
    LvmEngine engine = lab.start();
    LvmVolume volume = open(engine, lab.disk(folder, 1));
    assertThat(volume.activeNode()).isEqualTo("node-1");
    volume.moveTo("node-1");
    assertThat(failure(volume, "node-2")).isEqualTo(ErrorCode.UNSUPPORTED);
    volume.close();
    lab.stop(engine);
  }
}
