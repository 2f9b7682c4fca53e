package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.spdk.internal.volume.SpdkVolume;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A node with one volume. Its target ends while the volume is open. */
abstract class TargetEndTestBase {
  static final long SIZE = 16L << 20;
  static final int BLOCK = 4_096;
  private static final long OF_THE_HOST = 1 << 20;
  private static final int WRITES = 20;

  @TempDir private Path disks;
  final InMemoryRegister register = new InMemoryRegister();
  final RecordingListener listener = new RecordingListener();
  final ExecutorService threads = Executors.newCachedThreadPool();
  SpdkLab lab;
  SpdkEngine engine;

  /** Creates the lab of a test. */
  SpdkLab lab() {
    return new SpdkLab();
  }

  @BeforeEach
  final void start() throws Exception {
    lab = lab();
    engine = lab.start();
  }

  @AfterEach
  final void stop() throws Exception {
    threads.shutdownNow();
    lab.stop(engine);
  }

  /** Returns the places of replicas, each on its own disk. */
  final List<ReplicaLocation> replicas(int count) throws Exception {
    List<ReplicaLocation> replicas = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      replicas.add(new ReplicaLocation("vol", "vol-r-" + i, lab.disk(disks, i), "vol-" + i, false));
    }
    return replicas;
  }

  /** Opens the volume with existing replicas. */
  final SpdkVolume reopen(int count) throws Exception {
    return (SpdkVolume)
        engine.open(new OpenRequest("vol", SIZE, "node-1", replicas(count), register, listener));
  }

  /** Opens the volume with new replicas. */
  final SpdkVolume open(int count) throws Exception {
    for (ReplicaLocation replica : replicas(count)) {
      var unused = engine.prepareDisk(replica.disk());
      engine.provisionReplica(replica, SIZE);
    }
    return reopen(count);
  }

  static SnapshotRequest named(String name) {
    return new SnapshotRequest(name, true, Instant.EPOCH, Map.of());
  }

  final void restartTarget() throws Exception {
    lab.killTarget();
    lab.startTarget();
  }

  /** Writes of a host and of the device of the volume at the same time. */
  final class Writing {
    private final ReconnectingHost host;
    private final BlockWriter ofTheDevice;
    private final BlockWriter ofTheHost;
    private final List<Future<?>> running;

    /** Starts the writers and waits for the first writes. */
    Writing(SpdkVolume volume) throws Exception {
      NativeExport export = volume.export(lab.request("nvmeof", "vol"));
      host = new ReconnectingHost(() -> lab.connect(export.endpoints().get(0)));
      ofTheDevice = BlockWriter.through(volume, 0);
      ofTheHost = BlockWriter.through(host, OF_THE_HOST);
      running = List.of(threads.submit(ofTheDevice::run), threads.submit(ofTheHost::run));
      awaitMore();
    }

    /** Waits for more writes of both writers. */
    void awaitMore() throws InterruptedException {
      ofTheDevice.awaitWrites(WRITES);
      ofTheHost.awaitWrites(WRITES);
    }

    /**
     * Ends both writers and disconnects the host. Fails unless each write was answered and is
     * present.
     */
    void finish() throws Exception {
      ofTheDevice.end();
      ofTheHost.end();
      for (Future<?> one : running) {
        one.get();
      }
      ofTheDevice.verify();
      ofTheHost.verify();
      assertThat(listener.failure()).isEmpty();
      host.close();
    }

    /** Returns the number of connections of the host. */
    int connections() {
      return host.connections();
    }
  }
}
