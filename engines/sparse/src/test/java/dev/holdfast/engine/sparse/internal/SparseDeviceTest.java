package dev.holdfast.engine.sparse.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.IoFlags;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SparseDeviceTest {
  private static final long SIZE = 64L << 20;

  @TempDir private Path disk;
  private SparseEngine engine;

  @BeforeEach
  void start() throws Exception {
    engine = new SparseEngine();
  }

  @AfterEach
  void stop() {
    engine.stop();
  }

  private OpenVolume volume() throws Exception {
    ReplicaLocation replica = new ReplicaLocation("vol", "vol-r-1", "node-1", disk, "vol-1");
    engine.provisionReplica(replica, SIZE);
    return engine.open(
        new OpenRequest(
            "vol",
            SIZE,
            "node-1",
            List.of(replica),
            new InMemoryRegister(),
            new RecordingListener()));
  }

  /** Closes the device within a completion, and checks whether the close ends or waits. */
  private static final class ClosingMeanwhile implements Completion {
    private final Thread closing;
    private final AtomicReference<Thread.State> seen = new AtomicReference<>();

    ClosingMeanwhile(OpenVolume volume) {
      closing = new Thread(volume.device()::close);
    }

    @Override
    public void completed(StorageException failure) {
      closing.start();
      Thread.State state = closing.getState();
      while (state != Thread.State.WAITING && state != Thread.State.TERMINATED) {
        Thread.onSpinWait();
        state = closing.getState();
      }
      seen.set(state);
    }
  }

  @Test
  void zeroesWithoutAHoleAreReportedAsAllocated() throws Exception {
    OpenVolume volume = volume();
    BlockDevice device = volume.device();
    DeviceIo io = new DeviceIo(device);
    io.write(0, new byte[] {1});
    io.zero(1 << 20, 1 << 20, IoFlags.NO_HOLE);
    io.zero(4 << 20, 1 << 20, IoFlags.NONE);
    assertThat(holes(device)).containsExactly("4096+1044480", "2097152+65011712");
    io.zero(1 << 20, 1 << 19, IoFlags.NONE);
    assertThat(holes(device)).containsExactly("4096+1568768", "2097152+65011712");
    volume.close();
  }

  /** Returns the holes as offset and length, with adjacent holes joined. */
  private static List<String> holes(BlockDevice device) throws Exception {
    List<long[]> found = new ArrayList<>();
    CompletableFuture<Void> done = new CompletableFuture<>();
    device.extents(
        0,
        SIZE,
        (offset, length, kind) -> {
          long[] last = found.isEmpty() ? new long[2] : found.get(found.size() - 1);
          if (kind == ExtentKind.HOLE && !found.isEmpty() && last[0] + last[1] == offset) {
            last[1] += length;
          } else if (kind == ExtentKind.HOLE) {
            found.add(new long[] {offset, length});
          }
          return true;
        },
        failure -> done.complete(null));
    done.get();
    return found.stream().map(hole -> hole[0] + "+" + hole[1]).toList();
  }

  @Test
  void closingWaitsForTheAnswersOfRequests() throws Exception {
    OpenVolume volume = volume();
    ClosingMeanwhile closing = new ClosingMeanwhile(volume);
    volume.device().read(0, ByteBuffer.allocateDirect(4096), closing);
    closing.closing.join();
    assertThat(closing.seen).hasValue(Thread.State.WAITING);
    volume.close();
  }
}
