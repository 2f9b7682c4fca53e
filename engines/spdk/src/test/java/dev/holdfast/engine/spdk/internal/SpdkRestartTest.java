package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.export.ExportHold;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.spdk.internal.volume.SpdkVolume;
import dev.holdfast.engine.testkit.HostConnection;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Open volumes whose target is killed and started again. */
class SpdkRestartTest {
  private static final long SIZE = 16L << 20;
  private static final int BLOCK = 4_096;
  private static final int BLOCKS = 64;
  private static final long OF_THE_HOST = 1 << 20;

  @TempDir private Path disks;
  private SpdkLab lab;
  private final InMemoryRegister register = new InMemoryRegister();
  private final RecordingListener listener = new RecordingListener();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private SpdkEngine engine;

  /** Makes the lab of a test. */
  SpdkLab lab() {
    return new SpdkLab();
  }

  @BeforeEach
  void start() throws Exception {
    lab = lab();
    engine = lab.start();
  }

  @AfterEach
  void stop() throws Exception {
    threads.shutdownNow();
    lab.stop(engine);
  }

  private SpdkVolume open(int count) throws Exception {
    List<ReplicaLocation> replicas = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      var unused = engine.prepareDisk(lab.disk(disks, i));
      replicas.add(new ReplicaLocation("vol", "vol-r-" + i, lab.disk(disks, i), "vol-" + i, false));
      engine.provisionReplica(replicas.get(i - 1), SIZE);
    }
    return (SpdkVolume)
        engine.open(new OpenRequest("vol", SIZE, "node-1", replicas, register, listener));
  }

  private static SnapshotRequest named(String name) {
    return new SnapshotRequest(name, true, Instant.EPOCH, Map.of());
  }

  private void restartTarget() throws IOException {
    lab.killTarget();
    lab.startTarget();
  }

  /** A place for numbered blocks. */
  private interface Blocks {
    byte[] read(long offset, int length) throws Exception;

    void write(long offset, byte[] content) throws Exception;
  }

  /** Writes numbered blocks until it is told to stop; each block then holds its last number. */
  private static final class Writer {
    private final Blocks blocks;
    private final long base;
    private final long[] last = new long[BLOCKS];
    private final AtomicBoolean over = new AtomicBoolean();
    private long writes;
    private boolean ended;

    Writer(Blocks blocks, long base) {
      this.blocks = blocks;
      this.base = base;
    }

    private static byte[] numbered(long number) {
      ByteBuffer content = ByteBuffer.allocate(BLOCK);
      while (content.hasRemaining()) {
        content.putLong(number);
      }
      return content.array();
    }

    Void run() throws Exception {
      Random random = new Random(base);
      try {
        for (long number = 1; !over.get(); number++) {
          int block = random.nextInt(BLOCKS);
          blocks.write(base + (long) block * BLOCK, numbered(number));
          last[block] = number;
          count(false);
        }
      } finally {
        count(true);
      }
      return null;
    }

    private synchronized void count(boolean end) {
      writes++;
      ended |= end;
      notifyAll();
    }

    /** Waits for more writes. Returns at once when the writer has ended, which then failed. */
    synchronized void awaitWrites(int count) throws InterruptedException {
      long enough = writes + count;
      while (writes < enough && !ended) {
        wait();
      }
    }

    void verify() throws Exception {
      for (int block = 0; block < BLOCKS; block++) {
        assertThat(blocks.read(base + (long) block * BLOCK, BLOCK))
            .as("block %d", block)
            .isEqualTo(last[block] == 0 ? new byte[BLOCK] : numbered(last[block]));
      }
    }
  }

  private Blocks through(SpdkVolume volume) {
    DeviceIo io = new DeviceIo(volume.device());
    return new Blocks() {
      @Override
      public byte[] read(long offset, int length) throws Exception {
        return io.read(offset, length);
      }

      @Override
      public void write(long offset, byte[] content) throws Exception {
        io.write(offset, content);
      }
    };
  }

  private static Blocks through(HostConnection host) {
    return new Blocks() {
      @Override
      public byte[] read(long offset, int length) throws Exception {
        return host.read(offset, length);
      }

      @Override
      public void write(long offset, byte[] content) throws Exception {
        host.write(offset, content);
      }
    };
  }

  private void writeThroughRestarts(SpdkVolume volume, int restarts) throws Exception {
    NativeExport export = volume.export(lab.request("nvmeof", "vol"));
    ReconnectingHost host = new ReconnectingHost(() -> lab.connect(export.endpoints().get(0)));
    Writer ofTheDevice = new Writer(through(volume), 0);
    Writer ofTheHost = new Writer(through(host), OF_THE_HOST);
    List<Future<?>> running =
        List.of(threads.submit(ofTheDevice::run), threads.submit(ofTheHost::run));
    for (int i = 0; i < restarts; i++) {
      ofTheDevice.awaitWrites(20);
      ofTheHost.awaitWrites(20);
      restartTarget();
      ofTheDevice.awaitWrites(20);
      ofTheHost.awaitWrites(20);
    }
    ofTheDevice.over.set(true);
    ofTheHost.over.set(true);
    for (Future<?> one : running) {
      one.get();
    }
    ofTheDevice.verify();
    ofTheHost.verify();
    assertThat(host.connections()).as("connections of the host").isGreaterThan(restarts);
    assertThat(listener.failure()).isEmpty();
    host.close();
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
