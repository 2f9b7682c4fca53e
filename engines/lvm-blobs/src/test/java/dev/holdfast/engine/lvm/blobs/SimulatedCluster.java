package dev.holdfast.engine.lvm.blobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.EngineRecord;
import dev.holdfast.engine.lvm.blobs.PoolRecord.Attachment;
import dev.holdfast.engine.lvm.blobs.internal.lvm.BlobNames;
import dev.holdfast.engine.lvm.blobs.locks.GroupLocks;
import dev.holdfast.engine.lvm.blobs.locks.LockHolder;
import dev.holdfast.engine.lvm.blobs.locks.LockReport;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.lvm.testkit.MemoryRecords;
import dev.holdfast.lvm.testkit.SimulatedDevice;
import dev.holdfast.lvm.testkit.SimulatedGroup;
import dev.holdfast.lvm.testkit.SimulatedLinks;
import dev.holdfast.lvm.testkit.SimulatedLvm;
import dev.holdfast.vm.testkit.HostCrash;
import dev.holdfast.vm.testkit.RecordingHost;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** Nodes that share a simulated volume group, each with its process and its view of the locks. */
final class SimulatedCluster {
  static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant EXPIRY = NOW.plusSeconds(82);

  final SimulatedGroup group = new SimulatedGroup(1L << 20, "sanlock");
  final MemoryRecords records = new MemoryRecords();
  final Map<String, SimulatedLvm> hosts = new TreeMap<>();
  final Map<String, RecordingHost> commands = new TreeMap<>();
  final Set<String> silent = new HashSet<>();
  final Set<String> missing = new HashSet<>();
  private final Map<String, SharedBlobManager> managers = new TreeMap<>();
  final AtomicLong nanoTime = new AtomicLong();
  private final Duration sharing;

  SimulatedCluster(String... nodes) {
    this(Duration.ZERO, nodes);
  }

  /** Creates nodes whose watches share reports for some time of the clock of this cluster. */
  SimulatedCluster(Duration sharing, String... nodes) {
    this.sharing = sharing;
    for (String node : nodes) {
      hosts.put(node, new SimulatedLvm(group, node));
      commands.put(node, new RecordingHost(hosts.get(node)));
      start(node);
    }
  }

  SharedBlobManager on(String node) {
    return managers.get(node);
  }

  SharedBlobManager start(String node) {
    SharedAccess access =
        new SharedAccess(
            new Locks(), new SimulatedPoolLinks(hosts.get(node), hosts), new Peers(node));
    managers.put(
        node,
        new SharedBlobManager(
            new GroupReports(commands.get(node), nanoTime::get, sharing),
            records,
            node,
            access,
            Clock.fixed(NOW, ZoneOffset.UTC),
            (blob, cookie) -> false));
    silent.remove(node);
    return managers.get(node);
  }

  /** The process of a node ends, and starts again. */
  void restart(String node) throws StorageException {
    end(node);
    commands.get(node).restart();
    start(node).recover(SimulatedLvm.GROUP);
  }

  /** The process of a node ends; its devices stay. */
  void end(String node) {
    hosts.get(node).links().endProcess();
    silent.add(node);
  }

  /** The host of a node is switched off; its locks stay until they expire. */
  void switchOff(String node) {
    end(node);
    hosts.get(node).reboot();
  }

  /** Locks as sanlock reports them. */
  private final class Locks implements GroupLocks {
    @Override
    public LockReport inspect(String name) {
      List<LockReport.Missing> lacking =
          missing.stream().map(what -> new LockReport.Missing(what, "start it")).toList();
      return new LockReport("sanlock", true, true, lacking);
    }

    @Override
    public Optional<LockHolder> holder(String name, String volumeUuid) {
      return group
          .holder(volumeUuid)
          .map(holder -> new LockHolder(1, Optional.of(holder), Optional.empty(), NOW, EXPIRY));
    }

    @Override
    public void start(String name) {
      throw new UnsupportedOperationException();
    }
  }

  /** Calls between the processes. A crash of the called one is a lost connection. */
  private final class Peers implements PoolPeers {
    private final String from;

    private Peers(String from) {
      this.from = from;
    }

    private interface Call {
      void run(SharedBlobManager manager) throws StorageException;
    }

    private void call(String node, Call call) throws StorageException {
      if (!isReachable(node)) {
        throw new StorageException(ErrorCode.UNREACHABLE, "node " + node + " does not answer");
      }
      try {
        call.run(managers.get(node));
      } catch (HostCrash e) {
        end(node);
        throw new StorageException(ErrorCode.UNREACHABLE, "node " + node + " has crashed", e);
      }
    }

    @Override
    public boolean isReachable(String node) {
      return !silent.contains(node) && !silent.contains(from);
    }

    @Override
    public void advance(String node, String name, String pool) throws StorageException {
      call(node, manager -> manager.advance(name, pool));
    }

    @Override
    public void perform(String node, BlobCall call) throws StorageException {
      call(node, manager -> manager.perform(call));
    }
  }

  PoolRecord pool(String id) throws StorageException {
    for (EngineRecord stored : records.list("")) {
      PoolRecord pool = RecordFormat.read(stored.name(), stored.value());
      if (pool.id().equals(id)) {
        return pool;
      }
    }
    throw new AssertionError("pool " + id + " is not recorded");
  }

  private SimulatedDevice open(String node, Blob blob) throws IOException {
    assertThat(lostLinks(node, blob)).as("lost connections of " + node).isEmpty();
    return hosts
        .get(node)
        .open(Path.of("/dev/mapper", BlobNames.middle(blob.group(), blob.name())));
  }

  private List<String> lostLinks(String node, Blob blob) {
    SimulatedLinks links = hosts.get(node).links();
    return links.connected().keySet().stream()
        .filter(name -> name.endsWith("." + blob.name()) && links.isLost(name))
        .toList();
  }

  /** The connection of a device is lost, while both processes live. */
  void loseConnection(String node, Blob blob) {
    SimulatedLinks links = hosts.get(node).links();
    links.connected().keySet().stream()
        .filter(name -> name.endsWith("." + blob.name()))
        .forEach(links::loseConnection);
  }

  /** Writes one block on a node. */
  void write(String node, Blob blob, int value) throws IOException {
    try (SimulatedDevice device = open(node, blob)) {
      byte[] block = new byte[4096];
      Arrays.fill(block, (byte) value);
      device.write(0, ByteBuffer.wrap(block));
      device.flush();
    }
  }

  /** Reads the first byte on a node. */
  int read(String node, Blob blob) throws IOException {
    try (SimulatedDevice device = open(node, blob)) {
      ByteBuffer block = ByteBuffer.allocate(4096);
      device.read(0, block);
      return block.get(0);
    }
  }

  /** The nodes that answer have exactly the devices that the records say, and none waits. */
  void assertSettled() throws StorageException {
    for (EngineRecord stored : records.list("")) {
      PoolRecord pool = RecordFormat.read(stored.name(), stored.value());
      assertThat(pool.place().phase())
          .as("phase of " + pool)
          .isIn(PoolPlace.Phase.SERVING, PoolPlace.Phase.IDLE);
      assertThat(pool.attachments()).noneMatch(Attachment::leaving);
      for (RecordedBlob blob : pool.blobs()) {
        assertThat(blob.phase()).isEqualTo(RecordedBlob.Phase.PRESENT);
        assertThat(group.activeOn(BlobNames.volume(blob.name())))
            .as("hosts on which " + blob.name() + " is active")
            .isEqualTo(
                pool.isThin()
                    ? Math.min(1, pool.attachments(blob.name()).size())
                    : pool.users().size());
      }
    }
    hosts.keySet().stream().filter(node -> !silent.contains(node)).forEach(this::assertDevices);
  }

  private void assertDevices(String node) {
    List<String> expected = new ArrayList<>();
    try {
      for (EngineRecord stored : records.list("")) {
        PoolRecord pool = RecordFormat.read(stored.name(), stored.value());
        for (String name : pool.attachedOn(node)) {
          expected.add(BlobNames.lower(SimulatedLvm.GROUP, name));
          expected.add(BlobNames.middle(SimulatedLvm.GROUP, name));
        }
        if (!pool.users().contains(node) || node.equals(pool.place().activeOn())) {
          assertThat(hosts.get(node).links().connected().keySet())
              .as("connected devices of " + node)
              .noneMatch(name -> pool.blobs().stream().anyMatch(b -> name.endsWith(b.name())));
        }
      }
    } catch (StorageException e) {
      throw new AssertionError(e);
    }
    SimulatedLvm host = hosts.get(node);
    assertThat(host.mapper.names())
        .as("devices of " + node)
        .containsExactlyInAnyOrderElementsOf(expected);
    for (String name : expected) {
      assertThat(host.mapper.isSuspended(name)).as(name + " of " + node + " waits").isFalse();
      assertThat(host.mapper.table(name)).as(name + " of " + node).contains(" linear ");
    }
  }

  /** Removes everything by ordinary calls; nothing may stay. */
  void assertNothingLeftOver() throws StorageException {
    for (EngineRecord stored : records.list("")) {
      PoolRecord pool = RecordFormat.read(stored.name(), stored.value());
      for (Attachment use : pool.attachments()) {
        on(use.node()).detach(new Blob(SimulatedLvm.GROUP, use.blob()), use.cookie());
      }
      for (RecordedBlob blob : pool.blobs()) {
        on("node-1").delete(new Blob(SimulatedLvm.GROUP, blob.name()));
      }
    }
    assertThat(records.list("")).isEmpty();
    for (SimulatedLvm host : hosts.values()) {
      assertThat(host.volumeNames()).isEmpty();
      assertThat(host.mapper.names()).as("devices of " + host.name()).isEmpty();
      assertThat(host.links().connected()).as("links of " + host.name()).isEmpty();
      assertThat(host.links().exports()).as("exports of " + host.name()).isEmpty();
    }
  }
}
