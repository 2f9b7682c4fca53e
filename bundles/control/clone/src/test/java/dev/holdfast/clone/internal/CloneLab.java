package dev.holdfast.clone.internal;

import static dev.holdfast.datapath.testkit.VolumeResources.NODE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.CloneMode;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Volumes with one replica on a node with running controllers and the sparse engine on two disks.
 */
abstract class CloneLab {
  static final Quantity SIZE = Quantity.parse("32Mi");
  static final int BYTES = 1 << 20;

  @TempDir Path data;
  final MemoryResourceStore store = new MemoryResourceStore();
  RunningNode node;

  @BeforeEach
  void start() throws Exception {
    Map<String, DiskSpec> disks = Map.of("disk-1", disk("disk-1"), "disk-2", disk("disk-2"));
    store.create(Node.of(NODE, NodeSpec.EMPTY.withDisks(disks)));
    live();
    Awaiting.until(store, Node.KIND, NODE, n -> n.status().diskStatus().size() == 2);
    make("from", SIZE, v -> v);
    open("from", true);
  }

  private DiskSpec disk(String name) {
    return DiskSpec.EMPTY.withPath(data.resolve(name).toString()).withCreate(true);
  }

  void live() throws Exception {
    node = new RunningNode(store, data);
    node.plugins.addEngine(new SparseEngine());
  }

  @AfterEach
  void stop() {
    node.close();
    store.close();
  }

  void make(String name, Quantity size, UnaryOperator<VolumeSpec> spec) throws StorageException {
    make(name, size, "disk-1", spec);
  }

  void make(String name, Quantity size, String disk, UnaryOperator<VolumeSpec> spec)
      throws StorageException {
    VolumeSpec wanted = VolumeSpec.EMPTY.withSize(size).withNumberOfReplicas(1);
    store.create(Volume.of(name, spec.apply(wanted)));
    addReplica(name, "a", size, disk);
  }

  void addReplica(String name, String letter, Quantity size, String disk) throws StorageException {
    Replica replica =
        VolumeResources.replica(name + "-r-0000000" + letter, NODE, data.resolve(disk));
    Map<String, String> labels = Map.of("holdfast.dev/volume", name);
    store.create(
        replica
            .withMetadata(replica.metadata().withLabels(labels))
            .withSpec(
                replica
                    .spec()
                    .withVolume(name)
                    .withSize(size)
                    .withDiskID(disk)
                    .withDataEngine("sparse")));
  }

  /** Opens a volume, as the controllers of attachments and volumes do. */
  void open(String name, boolean shown) throws Exception {
    Volume volume = store.get(Volume.KIND, name).orElseThrow();
    Engine engine = VolumeResources.engine(NODE, DesireState.RUNNING);
    store.create(
        Engine.of(
                engineOf(name),
                engine
                    .spec()
                    .withVolume(name)
                    .withSize(volume.spec().size())
                    .withDataEngine("sparse")
                    .withDisableFrontend(!shown))
            .withMetadata(
                engine
                    .metadata()
                    .withName(engineOf(name))
                    .withLabels(Map.of("holdfast.dev/volume", name))));
    Awaiting.until(
        store,
        Engine.KIND,
        engineOf(name),
        e -> e.status().currentState() == InstanceState.RUNNING);
    status(name, v -> attached(v));
  }

  private static Volume attached(Volume volume) {
    return volume.withStatus(
        volume
            .status()
            .withState(VolumeState.ATTACHED)
            .withRobustness(Robustness.HEALTHY)
            .withCurrentNodeID(NODE));
  }

  void status(String name, UnaryOperator<Volume> change) throws StorageException {
    while (true) {
      try {
        store.updateStatus(change.apply(store.get(Volume.KIND, name).orElseThrow()));
        return;
      } catch (StorageException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
      }
    }
  }

  Volume until(String name, CloneState state) throws Exception {
    return untilVolume(name, v -> v.status().cloneStatus().state() == state);
  }

  Volume untilVolume(String name, Predicate<Volume> wanted) throws Exception {
    return Awaiting.until(store, Volume.KIND, name, wanted);
  }

  static UnaryOperator<VolumeSpec> copyOf(String volume, String snapshot) {
    return spec ->
        spec.withCloneMode(CloneMode.FULL_COPY)
            .withCloneSource(Optional.of(new CloneSource(volume, snapshot)));
  }

  private static void request(Consumer<CompletableFuture<Optional<StorageException>>> request)
      throws Exception {
    CompletableFuture<Optional<StorageException>> outcome = new CompletableFuture<>();
    request.accept(outcome);
    assertThat(outcome.get(30, TimeUnit.SECONDS)).isEmpty();
  }

  void write(String name, long offset, int fill) throws Exception {
    ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);
    while (bytes.hasRemaining()) {
      bytes.put((byte) fill);
    }
    BlockDevice device = node.portal.device(name).orElseThrow();
    request(
        outcome ->
            device.write(
                offset,
                bytes.flip(),
                IoFlags.FUA,
                failure -> outcome.complete(Optional.ofNullable(failure))));
  }

  /** Returns the name that this lab gives the engine of a volume. */
  static String engineOf(String volume) {
    return "engine-of-" + volume;
  }

  void close(String name) throws Exception {
    store.delete(Engine.KIND, engineOf(name), "");
    Awaiting.untilGone(store, Engine.KIND, engineOf(name));
  }

  CompletableFuture<Integer> firstByte(String name) {
    return byteAt(name, 0);
  }

  CompletableFuture<Integer> byteAt(String name, long offset) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);
    CompletableFuture<Integer> outcome = new CompletableFuture<>();
    node.portal
        .device(name)
        .orElseThrow()
        .read(
            offset,
            bytes,
            failure -> {
              if (failure == null) {
                outcome.complete((int) bytes.get(0));
              } else {
                outcome.completeExceptionally(failure);
              }
            });
    return outcome;
  }
}
