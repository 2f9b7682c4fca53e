package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverEngine;
import dev.holdfast.engine.LinkedCloneEngine;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaRequest;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.engine.sparse.internal.disk.FragileDirectories;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.link.MemoryNetwork;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Engines whose replicas, except the named ones, are on other nodes of a {@link MemoryNetwork}. The
 * kit has one node, so a replica is created there and opened as if it were on another node.
 */
final class MemoryLab implements EngineLab.Replicated {
  private final Set<Path> broken = FragileDirectories.noneBroken();
  private final Set<String> near;
  private final Map<EngineProvider, MemoryNetwork> networks = new HashMap<>();
  private final Map<EngineProvider, FragileDirectories> running = new HashMap<>();
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final ReplicaHost host =
      new ReplicaHost(new FragileDirectories(broken)::open, "the same boot");

  MemoryLab(Set<String> near) {
    this.near = near;
  }

  @Override
  public ReplicaLocation placed(ReplicaLocation replica) {
    return near.contains(replica.replica())
        ? replica
        : new ReplicaLocation(
            replica.volume(),
            replica.replica(),
            "node-of-" + replica.replica(),
            replica.diskPath(),
            replica.directoryName(),
            replica.witness());
  }

  @Override
  public EngineProvider start() {
    FragileDirectories directories = new FragileDirectories(broken);
    MemoryNetwork network = new MemoryNetwork(node -> host, executor);
    EngineProvider engine =
        new Placed(
            new SparseEngine(
                directories::open,
                "the same boot",
                Executors.newCachedThreadPool(),
                Duration.ofMillis(20),
                network));
    networks.put(engine, network);
    running.put(engine, directories);
    return engine;
  }

  @Override
  public void stop(EngineProvider engine) {
    broken.clear();
    ((Placed) engine).engine.stop();
  }

  @Override
  public void kill(EngineProvider engine) throws IOException {
    running.get(engine).kill();
    networks.get(engine).kill();
  }

  @Override
  public void breakDisk(ReplicaLocation replica) {
    broken.add(replica.directory());
  }

  @Override
  public void repair(ReplicaLocation replica) {
    broken.remove(replica.directory());
  }

  @Override
  public void rot(ReplicaLocation replica, String snapshot, long offset) throws IOException {
    RottenLayer.flip(replica, snapshot, offset);
  }

  @Override
  public byte[] content(ReplicaLocation replica) throws IOException {
    return Files.readAllBytes(replica.directory().resolve(LonghornLayout.FIRST_HEAD));
  }

  /** Opens replicas on the nodes that the lab assigned. */
  private final class Placed implements HandoverEngine, LinkedCloneEngine, OwnBases {
    private final SparseEngine engine;

    Placed(SparseEngine engine) {
      this.engine = engine;
    }

    @Override
    public String name() {
      return engine.name();
    }

    @Override
    public SparseEngine owner() {
      return engine;
    }

    @Override
    public void provisionReplica(ReplicaRequest request) throws StorageException {
      engine.provisionReplica(request);
    }

    @Override
    public Set<EngineCapability> capabilities() {
      return engine.capabilities();
    }

    @Override
    public void provisionReplica(ReplicaLocation replica, long sizeBytes) throws StorageException {
      engine.provisionReplica(replica, sizeBytes);
    }

    @Override
    public void cloneReplica(ReplicaLocation replica, long sizeBytes, SnapshotContent content)
        throws StorageException {
      engine.cloneReplica(replica, sizeBytes, content);
    }

    @Override
    public void deleteReplica(ReplicaLocation replica) throws StorageException {
      engine.deleteReplica(replica);
    }

    @Override
    public Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) throws StorageException {
      return engine.inspectReplica(replica);
    }

    @Override
    public OpenVolume resume(OpenRequest request, Handover handover) throws StorageException {
      return engine.resume(request, handover);
    }

    @Override
    public OpenVolume open(OpenRequest request) throws StorageException {
      List<ReplicaLocation> placed =
          request.replicas().stream().map(MemoryLab.this::placed).toList();
      return engine.open(
          new OpenRequest(
              request.volume(),
              request.sizeBytes(),
              request.nodeId(),
              placed,
              request.register(),
              request.listener(),
              request.options()));
    }
  }
}
