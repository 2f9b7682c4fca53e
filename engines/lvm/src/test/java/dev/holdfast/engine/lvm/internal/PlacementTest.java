package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The node on which the pool of an open volume is active, on simulated hosts. */
class PlacementTest {
  private static final long SIZE = 16L << 20;
  private static final byte[] TEXT = Arrays.copyOf("kept".getBytes(StandardCharsets.UTF_8), 4096);

  @TempDir private Path folder;

  private final InMemoryRegister register = new InMemoryRegister();

  private static ReplicaLocation replica(String volume, DiskLocation disk) {
    return new ReplicaLocation(volume, volume + "-r", disk, volume + "-1", false);
  }

  private LvmVolume open(LvmEngine engine, DiskLocation disk) throws StorageException {
    var unused = engine.prepareDisk(disk);
    engine.provisionReplica(replica("vol", disk), SIZE);
    return open(engine, "vol", disk, register);
  }

  private static LvmVolume open(
      LvmEngine engine, String volume, DiskLocation disk, InMemoryRegister with)
      throws StorageException {
    return (LvmVolume)
        engine.open(
            new OpenRequest(
                volume,
                SIZE,
                disk.nodeId(),
                List.of(replica(volume, disk)),
                with,
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
  void poolMovesToTheNodeThatOpensTheVolumeForWhichItWasCreated() throws Exception {
    SharedLab lab = new SharedLab();
    LvmEngine near = lab.start();
    LvmEngine far = lab.startOn("node-2");
    DiskLocation here = lab.disk(folder, 1);
    DiskLocation there = lab.seenFrom(here, "node-2");
    LvmVolume volume = open(near, here);
    new DeviceIo(volume.device()).write(0, TEXT);
    var unused = volume.createSnapshot(new SnapshotRequest("s", true, Instant.EPOCH, Map.of()));
    near.cloneReplica(
        replica("copy", here), SIZE, new SnapshotContent(replica("vol", here), "s", "s"));
    LvmVolume copy = open(far, "copy", there, new InMemoryRegister());
    assertThat(copy.activeNode()).as("a copy takes the pool from no node").isEqualTo("node-1");
    volume.close();
    assertThat(copy.activeNode()).as("its only user").isEqualTo("node-2");

    volume = open(near, "vol", here, register);
    assertThat(volume.activeNode()).as("the node of the volume").isEqualTo("node-1");
    assertThat(new DeviceIo(copy.device()).read(0, TEXT.length)).isEqualTo(TEXT);
    volume.close();
    copy.close();
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
