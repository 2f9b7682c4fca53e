package dev.holdfast.engine.lvm.internal;

import static dev.holdfast.engine.lvm.internal.RealLab.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs inside the virtual machine: pools that grow, and writers that wait in a full group. */
final class LvmSpaceInGuest {
  private static final long MIB = 1L << 20;
  private static final long SIZE = 2048 * MIB;
  private static final int PIECE = 8 << 20;

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
    LvmVolume volume =
        (LvmVolume)
            engine.open(
                new OpenRequest(
                    "vol",
                    SIZE,
                    "node-1",
                    List.of(location),
                    new InMemoryRegister(),
                    new RecordingListener()));
    ExecutorService threads = Executors.newSingleThreadExecutor();
    CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> write(volume), threads);
    while (!full()) {
      engine.lookAfterSpace();
      assertThat(writer).isNotDone();
    }
    engine.lookAfterSpace();
    assertThatThrownBy(() -> writer.get(2, TimeUnit.SECONDS))
        .as("a writer to a full pool waits")
        .isInstanceOf(TimeoutException.class);
    shell("lvremove --yes vg0/filler 2>&1");
    while (!writer.isDone()) {
      engine.lookAfterSpace();
    }
    writer.join();
    threads.shutdown();
    byte[] piece = new DeviceIo(volume.device()).read(SIZE - PIECE, PIECE);
    assertThat(piece).containsOnly(1);
    volume.close();
    engine.deleteReplica(location);
    assertThat(lab.leftovers()).isEmpty();
    lab.stop(engine);
  }

  private static boolean full() throws Exception {
    String text = shell("lvs --noheadings -o data_percent,lv_name vg0 | grep hfp-");
    return Double.parseDouble(text.strip().split(" ", 2)[0]) > 99.9;
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
