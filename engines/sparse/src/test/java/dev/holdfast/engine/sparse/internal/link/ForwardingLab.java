package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.ForwardRequest;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.sparse.internal.forward.ForwardedDevice;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** A volume that node-2 has open, and node-1, which forwards to it, over real sockets. */
final class ForwardingLab implements AutoCloseable {
  static final String VOLUME = "moving";

  final TwoNodes nodes;
  private final Path folder;
  private final SparseEngine engine;
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private int volumes;

  ForwardingLab(Path folder, boolean tls) throws Exception {
    this.folder = folder;
    this.engine = new SparseEngine();
    this.nodes = new TwoNodes(Files.createDirectories(folder.resolve("nodes")), tls);
  }

  /** Opens a separate, empty volume. */
  BlockDevice volume(long size) throws StorageException {
    String name = "v" + volumes++;
    ReplicaLocation replica = new ReplicaLocation(name, name + "-r", "n", folder, name);
    engine.provisionReplica(replica, size);
    return engine
        .open(
            new OpenRequest(
                name, size, "n", List.of(replica), new InMemoryRegister(), new RecordingListener()))
        .device();
  }

  ForwardedDevice join() throws StorageException {
    return join(VOLUME);
  }

  ForwardedDevice join(String volume) throws StorageException {
    return ForwardedDevice.join(
        new ForwardRequest(volume, TwoNodes.FAR, Duration.ofSeconds(20)),
        new ForwardedDevice.Surroundings(nodes.links, executor, new WallClock(timer, executor)));
  }

  @Override
  public void close() {
    nodes.admitted.endAll();
    nodes.close();
    engine.stop();
    timer.shutdownNow();
    executor.shutdown();
  }
}
