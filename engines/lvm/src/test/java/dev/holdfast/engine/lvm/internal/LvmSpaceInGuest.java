package dev.holdfast.engine.lvm.internal;

import static dev.holdfast.engine.lvm.internal.RealLab.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.EngineListener.RequestWait;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.lvm.blobs.AttachedBlob;
import dev.holdfast.engine.lvm.blobs.Blob;
import dev.holdfast.engine.lvm.blobs.BlobManager;
import dev.holdfast.engine.lvm.blobs.BlobOptions;
import dev.holdfast.engine.lvm.blobs.GroupReports;
import dev.holdfast.engine.lvm.blobs.LocalBlobManager;
import dev.holdfast.engine.lvm.internal.device.AlignedBuffers;
import dev.holdfast.engine.lvm.internal.device.AlignedDevice;
import dev.holdfast.engine.lvm.internal.device.DirectFile;
import dev.holdfast.engine.lvm.internal.device.RawDevice;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.host.LocalHost;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs inside the virtual machine: pools that grow, and writers to a full group. */
final class LvmSpaceInGuest {
  private static final long MIB = 1L << 20;
  private static final long SIZE = 2048 * MIB;
  private static final int PIECE = 8 << 20;
  private static final int CLONES = 20;
  private static final long CLONE_SIZE = 512 * MIB;

  /** Distance of writes: one of 100 blocks of 64 KiB, so that each leaf of a mapping is used. */
  private static final long STRIDE = 100 * (64 << 10);

  @TempDir private Path folder;

  @Test
  void poolGrowsAndWritersToAFullGroupWaitUntilThereIsRoom() throws Exception {
    RealLab lab = new RealLab(4 * MIB);
    LvmEngine engine = lab.start();
    var unused = engine.prepareDisk(lab.disk(folder, 1));
    ReplicaLocation location =
        new ReplicaLocation("vol", "vol-r", lab.disk(folder, 1), "vol-1", false);
    engine.provisionReplica(location, SIZE);
    shell("lvcreate --yes --wipesignatures n --zero n --extents 85%FREE --name filler vg0 2>&1");
    RecordingListener listener = new RecordingListener();
    LvmVolume volume =
        (LvmVolume)
            engine.open(
                new OpenRequest(
                    "vol", SIZE, "node-1", List.of(location), new InMemoryRegister(), listener));
    ExecutorService threads = Executors.newSingleThreadExecutor();
    CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> write(volume), threads);
    while (listener.requestWait().isEmpty()) {
      engine.lookAfterSpace();
      assertThat(writer).as("a writer to a full pool waits").isNotDone();
    }
    RequestWait told = listener.requestWait().orElseThrow();
    assertThat(told.reason()).isEqualTo("GroupFull");
    assertThat(told.message()).endsWith("add a disk: vgextend vg0 DISK");
    assertThatThrownBy(() -> writer.get(2, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
    shell("lvremove --yes vg0/filler 2>&1");
    while (!writer.isDone()) {
      engine.lookAfterSpace();
    }
    writer.join();
    threads.shutdown();
    engine.lookAfterSpace();
    assertThat(listener.requestWait()).isEmpty();
    byte[] piece = new DeviceIo(volume.device()).read(SIZE - PIECE, PIECE);
    assertThat(piece).containsOnly(1);
    volume.close();
    engine.deleteReplica(location);
    assertThat(lab.leftovers()).isEmpty();
    lab.stop(engine);
  }

  /**
   * The kernel rejects writes to a pool whose metadata is full, so the metadata must never fill up.
   */
  @Test
  void writersToManyCopiesFindRoomInTheMetadataOfAPoolInAFullGroup() throws Exception {
    RealLab lab = new RealLab(MIB);
    BlobManager blobs =
        new LocalBlobManager(
            new GroupReports(new LocalHost(), System::nanoTime, Duration.ZERO),
            lab.records(),
            "node-1");
    var unused = blobs.take("vg0");
    Blob first = new Blob("vg0", "first");
    blobs.createEmpty(first, BlobOptions.THIN, CLONE_SIZE);
    AttachedBlob device = blobs.attach(first, "c");
    shell("dd if=/dev/zero of=" + device.device() + " bs=1M oflag=direct 2>/dev/null || true");
    List<Blob> copies = new ArrayList<>();
    for (int n = 0; n < CLONES; n++) {
      Blob copy = new Blob("vg0", "copy-" + n);
      var unusedSpaces = blobs.keepSpace("vg0");
      blobs.createCopy(copy, first);
      copies.add(copy);
    }
    shell("lvcreate --yes --wipesignatures n --zero n --extents 100%FREE --name filler vg0 2>&1");
    for (Blob copy : copies) {
      writeToEachLeaf(blobs.attach(copy, "c").device());
    }
    String pool =
        shell(
                "lvs --noheadings --units b --nosuffix -o lv_metadata_size,metadata_percent"
                    + ",lv_health_status --select 'lv_name=hfp-first' vg0")
            .strip();
    String[] fields = pool.split("\\s+", -1);
    assertThat(fields).as("a healthy pool: " + pool).hasSize(2);
    double used = Double.parseDouble(fields[0]) * Double.parseDouble(fields[1]) / 100;
    assertThat(used).as("more than the metadata that a pool begins with").isGreaterThan(4 * MIB);
    copies.add(first);
    for (Blob copy : copies) {
      blobs.detach(copy, "c");
      blobs.delete(copy);
    }
    shell("lvremove --yes vg0/filler 2>&1");
    assertThat(lab.leftovers()).isEmpty();
  }

  private static void writeToEachLeaf(Path path) throws Exception {
    try (AlignedDevice device =
        new AlignedDevice(
            "copy",
            DirectFile.open(path, RawDevice.Access.WRITE),
            CLONE_SIZE,
            true,
            new AlignedBuffers())) {
      for (long at = 0; at < CLONE_SIZE; at += STRIDE) {
        new DeviceIo(device).write(at, new byte[4096]);
      }
    }
  }

  private static void write(LvmVolume volume) {
    byte[] content = new byte[PIECE];
    Arrays.fill(content, (byte) 1);
    try {
      for (long at = 0; at < SIZE; at += PIECE) {
        new DeviceIo(volume.device()).write(at, content);
      }
    } catch (dev.holdfast.error.StorageException e) {
      throw new IllegalStateException(e);
    }
  }
}
