package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.lvm.blobs.BlobCall;
import dev.holdfast.engine.lvm.blobs.GroupReports;
import dev.holdfast.engine.lvm.blobs.PoolPeers;
import dev.holdfast.engine.lvm.blobs.SharedAccess;
import dev.holdfast.engine.lvm.blobs.SharedBlobManager;
import dev.holdfast.engine.lvm.blobs.locks.GroupLocks;
import dev.holdfast.engine.lvm.blobs.locks.LockHolder;
import dev.holdfast.engine.lvm.blobs.locks.LockReport;
import dev.holdfast.engine.lvm.internal.forward.AdmittedNodes;
import dev.holdfast.engine.lvm.internal.forward.RemoteVolumeLinks;
import dev.holdfast.engine.lvm.rpc.BlockReply;
import dev.holdfast.engine.lvm.rpc.BlockRequest;
import dev.holdfast.engine.lvm.rpc.Joined;
import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.engine.testkit.HostConnection;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.lvm.testkit.MemoryRecords;
import dev.holdfast.lvm.testkit.SimulatedGroup;
import dev.holdfast.lvm.testkit.SimulatedLvm;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/** Several nodes over one simulated volume group with locks. Extents are small, as in the kit. */
final class SharedLab implements EngineLab.SharedDisk {
  private static final String FIRST = "node-1";
  private static final String SECOND_GROUP = "vg1";

  private final SimulatedGroup group = new SimulatedGroup(4096, "sanlock");
  private final SimulatedLvm otherGroup =
      new SimulatedLvm(new SimulatedGroup(4096, "sanlock"), FIRST);
  private final MemoryRecords records = new MemoryRecords();
  private final Map<String, SimulatedLvm> hosts = new HashMap<>();
  private final Map<String, LvmContext> contexts = new HashMap<>();
  private final Map<String, LvmEngine> engines = new ConcurrentHashMap<>();
  private final Map<EngineProvider, String> nodes = new HashMap<>();
  private final Map<String, Path> folders = new HashMap<>();
  private final Set<String> silent = ConcurrentHashMap.newKeySet();

  @Override
  public LvmEngine start() throws IOException {
    return startOn(FIRST);
  }

  @Override
  public LvmEngine startOn(String node) throws IOException {
    SimulatedLvm host = hosts.computeIfAbsent(node, name -> new SimulatedLvm(group, name));
    if (!folders.containsKey(node)) {
      folders.put(node, Files.createTempDirectory("lvm"));
    }
    SharedAccess access =
        new SharedAccess(new Locks(), new SimulatedPoolLinks(host, hosts), new Peers(node));
    LvmContext context =
        new LvmContext(
            new GroupReports(
                new SecondGroupHost(host, otherGroup, SECOND_GROUP),
                System::nanoTime,
                Duration.ZERO),
            records,
            folders.get(node),
            (path, mode) -> new SimulatedRaw(host.open(path), mode),
            new Sharing(access, new Volumes(node)));
    LvmEngine engine = new LvmEngine(context, Duration.ofHours(1));
    contexts.put(node, context);
    engines.put(node, engine);
    nodes.put(engine, node);
    silent.remove(node);
    return engine;
  }

  @Override
  public void stop(EngineProvider engine) {
    ((LvmEngine) engine).deactivate();
    end(engine);
  }

  @Override
  public void kill(EngineProvider engine) {
    ((LvmEngine) engine).abandon();
    end(engine);
  }

  private void end(EngineProvider engine) {
    String node = nodes.get(engine);
    hosts.get(node).links().endProcess();
    silent.add(node);
  }

  @Override
  public void expireLocks(EngineProvider engine) {
    String node = nodes.get(engine);
    silent.add(node);
    group.expire(hosts.get(node));
  }

  @Override
  public DiskLocation disk(Path folder, int number) {
    String name = number == 1 ? SimulatedLvm.GROUP : SECOND_GROUP;
    return new DiskLocation(FIRST, "", DiskKind.VOLUME_GROUP, Path.of("/dev", name));
  }

  @Override
  public DiskLocation seenFrom(DiskLocation disk, String node) {
    return new DiskLocation(node, disk.diskId(), disk.kind(), disk.path());
  }

  @Override
  public DiskLocation absent(DiskLocation disk) {
    return new DiskLocation(FIRST, "", DiskKind.VOLUME_GROUP, Path.of("/dev/vg9"));
  }

  @Override
  public String putForeignContent(DiskLocation disk) {
    hosts.get(FIRST).foreign("data");
    return "data";
  }

  @Override
  public byte[] content(DiskLocation disk) {
    return group.content();
  }

  @Override
  public HostConnection connect(URI endpoint) throws IOException {
    return new SimulatedUser(hosts.get(FIRST).open(Path.of(endpoint.getSchemeSpecificPart())));
  }

  /** The simulated nodes can always reach each other unless a test separates them. */
  private record Sharing(SharedAccess access, RemoteVolumeLinks volumes) implements GroupSharing {
    @Override
    public void require(String group) {}
  }

  /** Calls about open volumes between the engines of this process. */
  private final class Volumes implements RemoteVolumeLinks {
    private final String from;

    private Volumes(String from) {
      this.from = from;
    }

    private AdmittedNodes admitted(String node) throws StorageException {
      if (!engines.containsKey(node) || silent.contains(node) || silent.contains(from)) {
        throw new StorageException(ErrorCode.UNREACHABLE, "node " + node + " does not answer");
      }
      return engines.get(node).admitted();
    }

    @Override
    public Joined join(String node, String volume, Duration timeout) throws StorageException {
      return admitted(node).join(volume, from, timeout);
    }

    @Override
    public void submit(
        String node,
        BlockRequest request,
        Duration timeout,
        BiConsumer<BlockReply, StorageException> ended) {
      try {
        admitted(node).submit(from, request, ended);
      } catch (StorageException e) {
        ended.accept(BlockReply.getDefaultInstance(), e);
      }
    }
  }

  /** Locks as sanlock reports them. */
  private final class Locks implements GroupLocks {
    @Override
    public LockReport inspect(String name) {
      return new LockReport("sanlock", true, true, List.of());
    }

    @Override
    public Optional<LockHolder> holder(String name, String volumeUuid) {
      Instant now = Instant.now();
      return group
          .holder(volumeUuid)
          .map(
              holder ->
                  new LockHolder(
                      1, Optional.of(holder), Optional.empty(), now, now.plusSeconds(82)));
    }

    @Override
    public void start(String name) {
      throw new UnsupportedOperationException();
    }
  }

  /** Calls between the engines of this process. */
  private final class Peers implements PoolPeers {
    private final String from;

    private Peers(String from) {
      this.from = from;
    }

    private SharedBlobManager manager(String node) throws StorageException {
      if (!isReachable(node)) {
        throw new StorageException(ErrorCode.UNREACHABLE, "node " + node + " does not answer");
      }
      return contexts.get(node).sharing(node, SimulatedLvm.GROUP).orElseThrow();
    }

    @Override
    public boolean isReachable(String node) {
      return contexts.containsKey(node) && !silent.contains(node) && !silent.contains(from);
    }

    @Override
    public void advance(String node, String name, String pool) throws StorageException {
      manager(node).advance(name, pool);
    }

    @Override
    public void perform(String node, BlobCall call) throws StorageException {
      manager(node).perform(call);
    }
  }
}
