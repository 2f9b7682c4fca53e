package dev.holdfast.engine.sparse.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.Completion;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
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

  /** Closes the device while it is answered, and sees whether that ends or has to wait. */
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
  void closingWaitsForTheAnswersOfRequests() throws Exception {
    OpenVolume volume = volume();
    ClosingMeanwhile closing = new ClosingMeanwhile(volume);
    volume.device().read(0, ByteBuffer.allocateDirect(4096), closing);
    closing.closing.join();
    assertThat(closing.seen).hasValue(Thread.State.WAITING);
    volume.close();
  }
}
