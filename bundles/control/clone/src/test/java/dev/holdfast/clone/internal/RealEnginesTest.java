package dev.holdfast.clone.internal;

import static dev.holdfast.datapath.testkit.VolumeResources.ENGINE;
import static dev.holdfast.datapath.testkit.VolumeResources.NODE;
import static dev.holdfast.datapath.testkit.VolumeResources.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.example.memory.internal.MemoryEngine;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The node's controllers with all existing engines. */
class RealEnginesTest {
  private static final int BYTES = 64 * 1024;

  @TempDir private Path data;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private RunningNode node;

  @BeforeEach
  void start() throws Exception {
    store.create(
        Node.of(
            NODE,
            NodeSpec.EMPTY.withDisks(
                Map.of(
                    "disk-1",
                    DiskSpec.EMPTY.withPath(data.resolve("disk-1").toString()).withCreate(true),
                    "disk-2",
                    DiskSpec.EMPTY.withPath(data.resolve("disk-2").toString()).withCreate(true)))));
    node = new RunningNode(store, data);
    Awaiting.until(store, Node.KIND, NODE, n -> n.status().diskStatus().size() == 2);
  }

  @AfterEach
  void stop() {
    node.close();
    store.close();
  }

  private void make(String dataEngine, int replicas) throws StorageException {
    for (int i = 1; i <= replicas; i++) {
      Replica replica =
          VolumeResources.replica("vol-r-0000000" + i, NODE, data.resolve("disk-" + i));
      store.create(
          replica.withSpec(replica.spec().withDataEngine(dataEngine).withDiskID("disk-" + i)));
    }
    dev.holdfast.resource.volume.Engine engine = VolumeResources.engine(NODE, DesireState.RUNNING);
    store.create(engine.withSpec(engine.spec().withDataEngine(dataEngine)));
  }

  private dev.holdfast.resource.volume.Engine untilState(InstanceState state) throws Exception {
    return Awaiting.until(
        store,
        dev.holdfast.resource.volume.Engine.KIND,
        ENGINE,
        e -> e.status().currentState() == state);
  }

  private void desire(DesireState desire) throws Exception {
    dev.holdfast.resource.volume.Engine engine =
        Awaiting.until(
            store,
            dev.holdfast.resource.volume.Engine.KIND,
            ENGINE,
            e -> desire == DesireState.STOPPED || e.metadata().finalizers().isEmpty());
    store.update(engine.withSpec(engine.spec().withDesireState(desire)));
  }

  private BlockDevice exported() {
    return node.portal.device(VOLUME).orElseThrow();
  }

  private static ByteBuffer pattern(int seed) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);
    while (buffer.hasRemaining()) {
      buffer.put((byte) (seed + buffer.position() * 31));
    }
    return buffer.flip();
  }

  private static CompletableFuture<Optional<StorageException>> write(BlockDevice device, int seed) {
    CompletableFuture<Optional<StorageException>> outcome = new CompletableFuture<>();
    device.write(4096, pattern(seed), IoFlags.FUA, f -> outcome.complete(Optional.ofNullable(f)));
    return outcome;
  }

  private static void assertHolds(BlockDevice device, int seed) throws Exception {
    ByteBuffer read = ByteBuffer.allocateDirect(BYTES);
    CompletableFuture<Optional<StorageException>> outcome = new CompletableFuture<>();
    device.read(4096, read, f -> outcome.complete(Optional.ofNullable(f)));
    assertThat(outcome.get(30, TimeUnit.SECONDS)).isEmpty();
    assertThat(read.flip()).isEqualTo(pattern(seed));
  }

  private void serveDetachAndServeAgain(EngineProvider engine, int replicas) throws Exception {
    node.plugins.addEngine(engine);
    make(engine.name(), replicas);
    dev.holdfast.resource.volume.Engine running = untilState(InstanceState.RUNNING);
    assertThat(running.status().replicaModeMap()).hasSize(replicas);
    assertThat(running.status().replicaModeMap().values()).containsOnly(ReplicaMode.RW);
    BlockDevice device = exported();
    assertThat(write(device, 3).get(30, TimeUnit.SECONDS)).isEmpty();
    assertHolds(device, 3);
    desire(DesireState.STOPPED);
    untilState(InstanceState.STOPPED);
    assertThat(write(device, 4).get(30, TimeUnit.SECONDS)).isPresent();
    desire(DesireState.RUNNING);
    untilState(InstanceState.RUNNING);
    assertHolds(exported(), 3);
  }

  @Test
  void theExampleEngineIsServed() throws Exception {
    serveDetachAndServeAgain(new MemoryEngine(), 1);
  }

  @Test
  void theSparseEngineKeepsReplicasOnTwoDisks() throws Exception {
    serveDetachAndServeAgain(new SparseEngine(), 2);
    desire(DesireState.STOPPED);
    untilState(InstanceState.STOPPED);
    byte[] first = head("disk-1", "vol-r-00000001");
    assertThat(first).isEqualTo(head("disk-2", "vol-r-00000002"));
    byte[] expected = new byte[BYTES];
    pattern(3).get(expected);
    assertThat(java.util.Arrays.copyOfRange(first, 4096, 4096 + BYTES)).isEqualTo(expected);
  }

  private byte[] head(String disk, String directory) throws IOException {
    Path replica = data.resolve(disk).resolve("replicas").resolve(directory);
    try (Stream<Path> files = Files.list(replica)) {
      return Files.readAllBytes(
          files
              .filter(file -> file.getFileName().toString().matches("volume-head-\\d+\\.img"))
              .findFirst()
              .orElseThrow());
    }
  }

  private Snapshot untilSnapshot(Predicate<Snapshot> wanted) throws Exception {
    return Awaiting.until(store, Snapshot.KIND, "first", wanted);
  }

  private <R extends Resource<R>> void change(
      ResourceKind<R> kind, String name, UnaryOperator<R> change) throws StorageException {
    while (true) {
      try {
        store.update(change.apply(store.get(kind, name).orElseThrow()));
        return;
      } catch (StorageException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
      }
    }
  }

  @Test
  void engineWithoutSnapshotsReportsIt() throws Exception {
    node.plugins.addEngine(new MemoryEngine());
    store.create(
        Volume.of(
            VOLUME,
            VolumeSpec.EMPTY.withSize(VolumeResources.SIZE).withDataEngine("example-memory")));
    make(new MemoryEngine().name(), 1);
    untilState(InstanceState.RUNNING);
    store.create(Snapshot.of("first", SnapshotSpec.EMPTY.withVolume(VOLUME)));
    assertThat(untilSnapshot(s -> !s.status().error().isEmpty()).status().error())
        .isEqualTo("engine example-memory does not support snapshots");
  }

  @Test
  void theSparseEngineTakesShowsAndRevertsToASnapshot() throws Exception {
    node.plugins.addEngine(new SparseEngine());
    store.create(Volume.of(VOLUME, VolumeSpec.EMPTY.withSize(VolumeResources.SIZE)));
    make("sparse", 2);
    untilState(InstanceState.RUNNING);
    assertThat(write(exported(), 3).get(30, TimeUnit.SECONDS)).isEmpty();
    store.create(Snapshot.of("first", SnapshotSpec.EMPTY.withVolume(VOLUME).withExported(true)));
    untilSnapshot(s -> !s.status().endpoint().isEmpty());
    assertThat(write(exported(), 4).get(30, TimeUnit.SECONDS)).isEmpty();
    assertHolds(node.portal.device("vol@first").orElseThrow(), 3);
    assertHolds(exported(), 4);
    change(Snapshot.KIND, "first", s -> s.withSpec(s.spec().withExported(false)));
    untilSnapshot(s -> s.status().endpoint().isEmpty());
    change(
        dev.holdfast.resource.volume.Engine.KIND,
        ENGINE,
        e -> e.withSpec(e.spec().withDisableFrontend(true)));
    Awaiting.until(
        store,
        dev.holdfast.resource.volume.Engine.KIND,
        ENGINE,
        e -> e.status().endpoint().isEmpty());
    change(Snapshot.KIND, "first", s -> s.withSpec(s.spec().withRevertRequest("one")));
    Snapshot reverted = untilSnapshot(s -> s.status().revert().requestID().equals("one"));
    assertThat(reverted.status().revert().error()).isEmpty();
    change(
        dev.holdfast.resource.volume.Engine.KIND,
        ENGINE,
        e -> e.withSpec(e.spec().withDisableFrontend(false)));
    Awaiting.until(
        store,
        dev.holdfast.resource.volume.Engine.KIND,
        ENGINE,
        e -> !e.status().endpoint().isEmpty());
    assertHolds(exported(), 3);
    change(Volume.KIND, VOLUME, v -> v.withSpec(v.spec().withSize(Quantity.parse("2Mi"))));
    Awaiting.until(
        store,
        dev.holdfast.resource.volume.Engine.KIND,
        ENGINE,
        e -> e.status().currentSize().equals(Quantity.parse("2Mi")));
    assertThat(exported().size()).isEqualTo(2 << 20);
    assertHolds(exported(), 3);
  }

  @Test
  void aReplacedSparseEngineLosesNoAcknowledgedWrite() throws Exception {
    SparseEngine before = new SparseEngine();
    node.plugins.addEngine(before);
    make("sparse", 2);
    untilState(InstanceState.RUNNING);
    BlockDevice device = exported();
    assertThat(write(device, 5).get(30, TimeUnit.SECONDS)).isEmpty();
    node.plugins.removeEngine(before);
    before.stop();
    CompletableFuture<Optional<StorageException>> waiting = write(device, 6);
    assertThat(waiting).isNotDone();
    node.plugins.addEngine(new SparseEngine());
    assertThat(waiting.get(30, TimeUnit.SECONDS)).isEmpty();
    assertHolds(device, 6);
    dev.holdfast.resource.volume.Engine running = untilState(InstanceState.RUNNING);
    assertThat(running.status().membership().members()).hasSize(2);
  }

  @Test
  void deletingTheReplicasClearsTheDisks() throws Exception {
    node.plugins.addEngine(new SparseEngine());
    make("sparse", 1);
    untilState(InstanceState.RUNNING);
    store.delete(dev.holdfast.resource.volume.Engine.KIND, ENGINE, "");
    Awaiting.untilGone(store, dev.holdfast.resource.volume.Engine.KIND, ENGINE);
    store.delete(Replica.KIND, "vol-r-00000001", "");
    Awaiting.untilGone(store, Replica.KIND, "vol-r-00000001");
    assertThat(data.resolve("disk-1/replicas/vol-r-00000001")).doesNotExist();
  }
}
