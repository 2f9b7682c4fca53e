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
import dev.holdfast.engine.sparse.internal.link.DynamicLinks;
import dev.holdfast.engine.sparse.internal.link.ReplicaLinks;
import dev.holdfast.engine.sparse.internal.link.ReplicaSessionLink;
import dev.holdfast.engine.sparse.internal.link.TwoNodes;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Engines whose replicas are on another node, which survives the kill of an engine. */
final class RemoteLab implements EngineLab.Replicated {
  private final Predicate<ReplicaLocation> here;
  private final Set<Path> broken = FragileDirectories.noneBroken();
  private final FragileDirectories farDirectories = new FragileDirectories(broken);
  private final SparseEngine far = engine(farDirectories, SparseEngine::noWay);
  private final Map<EngineProvider, Running> running = new HashMap<>();

  private record Running(
      SparseEngine near,
      FragileDirectories directories,
      DynamicLinks links,
      TwoNodes nodes,
      Path folder) {}

  /**
   * Starts the other node.
   *
   * @param here selects the replicas that are on the engine's own node
   */
  RemoteLab(Predicate<ReplicaLocation> here) {
    this.here = here;
  }

  private static SparseEngine engine(FragileDirectories directories, ReplicaLinks links) {
    return new SparseEngine(
        directories::open,
        "the same boot",
        Executors.newCachedThreadPool(),
        Duration.ofMillis(20),
        links);
  }

  @Override
  public EngineProvider start() throws Exception {
    Path folder = Files.createTempDirectory("two-nodes");
    TwoNodes nodes = new TwoNodes(folder, true, far.host());
    FragileDirectories directories = new FragileDirectories(broken);
    DynamicLinks links = new DynamicLinks(RemoteLab::killed);
    links.arrived(nodes.links);
    SparseEngine near = engine(directories, links);
    Spread spread = new Spread(near);
    running.put(spread, new Running(near, directories, links, nodes, folder));
    return spread;
  }

  @Override
  public void stop(EngineProvider engine) throws IOException {
    broken.clear();
    Running stopped = running.get(engine);
    stopped.near().stop();
    stopped.nodes().close();
    delete(stopped.folder());
  }

  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  @Override
  public void kill(EngineProvider engine) throws IOException {
    Running killed = running.get(engine);
    killed.links().left(killed.nodes().links);
    killed.nodes().links.close();
    killed.directories().kill();
  }

  // Its requests end, so that a failed request can be distinguished from one without a reply.
  private static ReplicaSessionLink killed(
      ReplicaLocation location, Token token, Duration timeout, ReplicaLinks.Listener listener)
      throws StorageException {
    throw new StorageException(ErrorCode.CONFLICT, "the engine was killed");
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

  @Override
  public ReplicaLocation placed(ReplicaLocation replica) {
    return here.test(replica) ? replica : Spread.away(replica);
  }

  /** Calls the engine of each node for the replicas on that node. */
  private final class Spread implements HandoverEngine, LinkedCloneEngine, OwnBases {
    private final SparseEngine near;

    Spread(SparseEngine near) {
      this.near = near;
    }

    private SparseEngine of(ReplicaLocation replica) {
      return here.test(replica) ? near : far;
    }

    @Override
    public String name() {
      return near.name();
    }

    // Both nodes use the same file system.
    @Override
    public SparseEngine owner() {
      return near;
    }

    @Override
    public void provisionReplica(ReplicaRequest request) throws StorageException {
      mark(request.location());
      of(request.location()).provisionReplica(request);
    }

    @Override
    public Set<EngineCapability> capabilities() {
      return near.capabilities();
    }

    @Override
    public void provisionReplica(ReplicaLocation replica, long sizeBytes) throws StorageException {
      mark(replica);
      of(replica).provisionReplica(replica, sizeBytes);
    }

    private static void mark(ReplicaLocation replica) throws StorageException {
      try {
        TwoNodes.mark(replica.diskPath());
      } catch (IOException e) {
        throw StorageException.io("mark " + replica.diskPath(), e);
      }
    }

    // The other node releases a replica shortly after its engine did.
    @Override
    public void cloneReplica(ReplicaLocation replica, long sizeBytes, SnapshotContent content)
        throws StorageException {
      near.cloneReplica(replica, sizeBytes, content);
    }

    @Override
    public void deleteReplica(ReplicaLocation replica) throws StorageException {
      long deadline = System.nanoTime() + Duration.ofSeconds(2).toNanos();
      while (true) {
        try {
          of(replica).deleteReplica(replica);
          return;
        } catch (StorageException e) {
          if (e.code() != ErrorCode.BUSY || System.nanoTime() > deadline) {
            throw e;
          }
          Thread.onSpinWait();
        }
      }
    }

    @Override
    public Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) throws StorageException {
      return of(replica).inspectReplica(replica);
    }

    @Override
    public OpenVolume resume(OpenRequest request, Handover handover) throws StorageException {
      return near.resume(request, handover);
    }

    @Override
    public OpenVolume open(OpenRequest request) throws StorageException {
      List<ReplicaLocation> spread =
          request.replicas().stream()
              .map(replica -> here.test(replica) ? replica : away(replica))
              .toList();
      return near.open(
          new OpenRequest(
              request.volume(),
              request.sizeBytes(),
              request.nodeId(),
              spread,
              request.register(),
              request.listener(),
              request.options()));
    }

    private static ReplicaLocation away(ReplicaLocation replica) {
      return new ReplicaLocation(
          replica.volume(),
          replica.replica(),
          TwoNodes.FAR,
          replica.diskPath(),
          replica.directoryName(),
          replica.witness());
    }
  }
}
